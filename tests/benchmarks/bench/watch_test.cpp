#include "benchmarks/bench/watch.h"

#include <gtest/gtest.h>

namespace heed::bench {
namespace {

// LibTorch's profiler, which says on standard error that there is no GPU.
TEST(Watch, WithoutAGpuWorkIsDoneAndNothingIsSeen) {
  bool worked = false;
  EXPECT_EQ(watch_kernels([&] { worked = true; }).calls, 0);
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace heed::bench
