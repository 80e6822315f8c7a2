#include <gtest/gtest.h>
#include <omp.h>

#include <filesystem>
#include <iterator>

#include "kernels/divide_work.h"

namespace heed::kernels {
namespace {

// Two threads on two processors: another program that uses 0.3 of one leaves too little.
TEST(Waiting, IsAsleepWhereOtherProgramsLeaveTooFewProcessors) {
  EXPECT_FALSE(should_sleep(0.1, 2, 2, false));
  EXPECT_TRUE(should_sleep(0.7, 2, 2, false));
  EXPECT_FALSE(should_sleep(0.7, 2, 1, false));
  EXPECT_FALSE(should_sleep(5.0, 16, 8, false));
  EXPECT_TRUE(should_sleep(9.0, 16, 8, false));
  // At the border it stays as it is.
  EXPECT_FALSE(should_sleep(0.2, 2, 2, false));
  EXPECT_TRUE(should_sleep(0.2, 2, 2, true));
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

TEST(Waiting, IdleThreadsComeAndGo) {
  const auto before = threads_of_this_process();
  {
    const IdleThreads idle;
    EXPECT_GE(threads_of_this_process(), before + omp_get_num_procs());
  }
  EXPECT_LE(threads_of_this_process(), before + omp_get_num_procs());  // they may be on their way
}

TEST(Waiting, MayBeLookedAtOften) {
  Waiting waiting;
  for (int i = 0; i < 1000; ++i) waiting.look(2);
}

}  // namespace
}  // namespace heed::kernels
