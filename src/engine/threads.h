// The threads that a caller lends to an engine, which has none of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace heed::engine {

/// Calls work(first, last) for parts that together are [0, count), each of at least `grain` items,
/// at the same time if there are several threads. Inside `work` there are no more threads to lend.
using Threads = std::function<void(int64_t count, int64_t grain,
                                   const std::function<void(int64_t first, int64_t last)>& work)>;

/// Runs all work on the caller's thread.
inline const Threads kOneThread = [](int64_t count, int64_t, const auto& work) { work(0, count); };

/// Calls work(item) for each of `count` items: a thread takes the next one that is left.
template <class Work>
void divide_items(const Threads& threads, int64_t count, const Work& work) {
  std::atomic<int64_t> next = 0;
  threads(count, 1, [&](int64_t, int64_t) {
    for (int64_t item = next++; item < count; item = next++) work(item);
  });
}

}  // namespace heed::engine
