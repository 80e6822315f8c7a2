#include "base/stopped_time.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace heed {
namespace {

using std::chrono::milliseconds;

/// What a process counts that is stopped for so long and counts stops of half a second and more, as
/// tenths of a second.
int tenths_counted(milliseconds stop) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto begin = std::chrono::steady_clock::now();
    const StoppedTime stopped(0.5);
    const auto end = begin + milliseconds(600) + stop;
    while (std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(5));
    ::_exit(static_cast<int>(10 * stopped.seconds()));
  }
  std::this_thread::sleep_for(milliseconds(300));
  ::kill(child, SIGSTOP);
  std::this_thread::sleep_for(stop);
  ::kill(child, SIGCONT);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(StoppedTime, CountsStopsThatAreLongEnough) {
  const int tenths = tenths_counted(milliseconds(1500));
  EXPECT_GE(tenths, 12);  // up to a tick is not seen
  EXPECT_LE(tenths, 18);
  EXPECT_EQ(tenths_counted(milliseconds(100)), 0);
}

}  // namespace
}  // namespace heed
