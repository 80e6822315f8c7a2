#include <gtest/gtest.h>

#include "run/trial_training.h"

namespace heed::run {
namespace {

// LibTorch's profiler, which says on standard error that there is no GPU.
TEST(KernelTimes, WithoutAGpuWorkIsDoneAndNothingIsSeen) {
  bool worked = false;
  EXPECT_EQ(watch_kernels([&] { worked = true; }).calls, 0);
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace heed::run
