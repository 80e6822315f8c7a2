// How a GPU's time is divided, from kernels that were invented for it.
#include "apps/bench/kernel_times.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(KernelTimes, SumByNameAndFindTheGaps) {
  // a: 1..3, b: 2..5 beside it, a gap of 2, then a: 7..8
  const KernelTimes times = kernel_times({{"a", 7 * kSecond, 8 * kSecond},
                                          {"a", kSecond, 3 * kSecond},
                                          {"b", 2 * kSecond, 5 * kSecond}});
  EXPECT_EQ(times.calls, 3);
  EXPECT_DOUBLE_EQ(times.busy, 5);
  EXPECT_DOUBLE_EQ(times.idle, 2);
  ASSERT_EQ(times.kernels.size(), 2U);
  EXPECT_EQ(times.kernels[0].name, "a");
  EXPECT_DOUBLE_EQ(times.kernels[0].seconds, 3);
  EXPECT_EQ(times.kernels[0].calls, 2);
  EXPECT_DOUBLE_EQ(times.kernels[1].seconds, 3);
}

TEST(KernelTimes, OfOneInsideAnotherCountOnceAsBusy) {
  const KernelTimes times =
      kernel_times({{"long", 0, 9 * kSecond}, {"short", 3 * kSecond, 4 * kSecond}});
  EXPECT_DOUBLE_EQ(times.busy, 9);
  EXPECT_DOUBLE_EQ(times.idle, 0);
}

TEST(KernelTimes, OfNothingAreNone) {
  const KernelTimes times = kernel_times({});
  EXPECT_EQ(times.calls, 0);
  EXPECT_EQ(times.idle, 0);
  EXPECT_TRUE(times.kernels.empty());
}

// LibTorch's profiler, which says on standard error that there is no GPU.
TEST(KernelTimes, WithoutAGpuWorkIsDoneAndNothingIsSeen) {
  bool worked = false;
  EXPECT_EQ(watch_kernels([&] { worked = true; }).calls, 0);
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace heed
