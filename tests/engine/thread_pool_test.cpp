#include "engine/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace heed::engine {
namespace {

TEST(ThreadPool, DoesEachItemOnceWhateverItsThreads) {
  for (const int64_t threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (const int64_t count : {0, 1, 2, 5, 100}) {
      for (const int64_t grain : {1, 3, 200}) {
        std::vector<std::atomic<int>> done(count);
        pool.threads()(count, grain, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) ++done[i];
        });
        for (const auto& times : done) EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(ThreadPool, LendsNoneToThoseAtWork) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum = 0;
  pool.threads()(5, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      pool.threads()(7, 1, [&](int64_t from, int64_t to) {
        EXPECT_EQ(to - from, 7);  // in one part
        sum += to - from;
      });
  });
  EXPECT_EQ(sum, 35);
}

TEST(ThreadPool, ThrowsWhatACallThrewAndWorksOn) {
  ThreadPool pool(3);
  const auto fail = [](int64_t, int64_t) { throw std::runtime_error("no"); };
  EXPECT_THROW(pool.threads()(9, 1, fail), std::runtime_error);
  std::atomic<int64_t> sum = 0;
  pool.threads()(9, 1, [&](int64_t first, int64_t last) { sum += last - first; });
  EXPECT_EQ(sum, 9);
}

TEST(Threads, ShareItemsOneByOne) {
  ThreadPool pool(2);
  std::vector<std::atomic<int>> done(13);
  divide_items(pool.threads(), std::ssize(done), [&](int64_t i) { ++done[i]; });
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace heed::engine
