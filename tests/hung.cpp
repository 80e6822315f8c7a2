// A case that does not end says where each thread stands, and is aborted: ctest, which would kill
// it, says nothing. Part of all test programs; the limit is ctest's, so that a debugger has none.
#include <dirent.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace heed {
namespace {

void write_text(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, strlen(text));
}

void write_own_stack(int) {
  std::array<void*, 64> frames;
  write_text("thread:\n");
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
}

/// Not one of the functions that a signal may call is certain to work; nothing is lost by trying.
void write_all_stacks(int) {
  write_text("this case has no end; its threads, one after the other:\n");
  DIR* const threads = opendir("/proc/self/task");
  while (const dirent* thread = threads ? readdir(threads) : nullptr) {
    if (thread->d_name[0] == '.') continue;
    syscall(SYS_tgkill, getpid(), std::atoi(thread->d_name), SIGUSR2);
    usleep(100'000);
  }
  abort();
}

struct Limit : ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override {
    const char* const seconds = std::getenv("HEED_CASE_SECONDS");
    alarm(seconds ? static_cast<unsigned>(std::atoi(seconds)) : 0);
  }
  void OnTestEnd(const ::testing::TestInfo&) override { alarm(0); }
};

const bool watched = [] {
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads what it needs while nothing is wrong
  struct sigaction action {};
  action.sa_flags = SA_NODEFER | SA_RESTART;
  action.sa_handler = write_own_stack;
  sigaction(SIGUSR2, &action, nullptr);
  action.sa_handler = write_all_stacks;
  sigaction(SIGALRM, &action, nullptr);
  ::testing::UnitTest::GetInstance()->listeners().Append(new Limit);
  return true;
}();

}  // namespace
}  // namespace heed
