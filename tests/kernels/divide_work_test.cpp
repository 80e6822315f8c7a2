#include "kernels/divide_work.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "kernels/dropout.h"

namespace heed::kernels {
namespace {

class DivideWork : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { at::set_num_threads(GetParam()); }
  void TearDown() override { at::set_num_threads(before_); }

 private:
  int before_ = at::get_num_threads();
};

TEST_P(DivideWork, CallsOnceForEachItemWithOneThreadInside) {
  for (const int64_t count : {0, 1, 2, 7, 100}) {
    std::vector<std::atomic<int>> calls(count), busy(GetParam());
    divide_work(count, [&](int64_t item, int64_t worker) {
      ++calls[item];
      EXPECT_EQ(busy.at(worker)++, 0);
      EXPECT_EQ(at::get_num_threads(), 1);
      --busy.at(worker);
    });
    for (const auto& number : calls) EXPECT_EQ(number, 1);
  }
  EXPECT_EQ(at::get_num_threads(), GetParam());
}

TEST_P(DivideWork, GivesEachWorkerItsThreads) {
  for (int64_t inner = 1; inner <= GetParam(); ++inner)
    for (const int64_t count : {0, 1, 7}) {
      std::vector<std::atomic<int>> calls(count), busy(GetParam() / inner);
      const at::AutoGradMode mode(false);
      divide_work(count, inner, [&](int64_t item, int64_t worker) {
        ++calls[item];
        EXPECT_EQ(busy.at(worker)++, 0);
        EXPECT_EQ(at::get_num_threads(), inner);
        EXPECT_FALSE(at::GradMode::is_enabled());
        std::atomic<int64_t> sum = 0;
        at::parallel_for(0, 100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
        EXPECT_EQ(sum, 100);
        --busy.at(worker);
      });
      for (const auto& number : calls) EXPECT_EQ(number, 1);
      EXPECT_EQ(at::get_num_threads(), GetParam());
      EXPECT_THROW(divide_work(9, inner,
                               [](int64_t item, int64_t) {
                                 if (item == 3) throw std::runtime_error("three");
                               }),
                   std::runtime_error);
    }
}

TEST_P(DivideWork, KeepsTheCallersGradientMode) {
  for (const bool wanted : {false, true}) {
    const at::AutoGradMode mode(wanted);
    divide_work(8, [&](int64_t, int64_t) { EXPECT_EQ(at::GradMode::is_enabled(), wanted); });
  }
}

TEST_P(DivideWork, ThrowsWhatACallThrewAndBeginsNoOther) {
  std::atomic<int64_t> last = 0;
  EXPECT_THROW(divide_work(1000000,
                           [&](int64_t item, int64_t) {
                             if (item == 3) throw std::runtime_error("three");
                             last = std::max<int64_t>(last, item);
                           }),
               std::runtime_error);
  EXPECT_LT(last, 999999);
}

TEST_P(DivideWork, EachItemDrawsItsOwnNumbers) {
  const auto drop = [](int64_t item) {
    const Draws draws(static_cast<uint64_t>(item));
    const Tensor first = dropout(at::ones({50}), 0.5);
    return at::cat({first, dropout(at::ones({50}), 0.5)});
  };
  std::vector<Tensor> together(9);
  divide_work(9, [&](int64_t item, int64_t) { together[item] = drop(item); });
  for (int64_t item = 0; item < 9; ++item) EXPECT_TRUE(at::equal(together[item], drop(item)));
  EXPECT_FALSE(at::equal(together[0], together[1]));
  EXPECT_FALSE(at::equal(together[0].narrow(0, 0, 50), together[0].narrow(0, 50, 50)));
}

INSTANTIATE_TEST_SUITE_P(Threads, DivideWork, ::testing::Values(1, 2, 5),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace heed::kernels
