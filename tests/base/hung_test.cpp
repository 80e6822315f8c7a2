// A case that does not end says where it hangs: tests/hung.cpp.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace heed {
namespace {

TEST(HungDeathTest, TellsTheStackOfEachThread) {
  EXPECT_DEATH(
      {
        const std::jthread other([] { pause(); });
        raise(SIGALRM);
      },
      "no end.*thread:.*test_base.*thread:.*test_base");
}

}  // namespace
}  // namespace heed
