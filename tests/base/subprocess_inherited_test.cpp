#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>

#include "base/signals.h"
#include "base/subprocess.h"

namespace heed {
namespace {

/// Returns what `action` returns in a process of its own.
int status_of(const std::function<int()>& action) {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(action());
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Inherited, ProgramsRunWhereTheStandardStreamsAreClosed) {
  EXPECT_EQ(status_of([] {
              for (const int number : {0, 1, 2}) ::close(number);
              repair_inherited();
              const auto result = subprocess::run({"sh", "-c", "cat; echo oops >&2"}, "text");
              return result.out == "text" && result.err == "oops\n" ? 0 : 1;
            }),
            0);
}

TEST(Inherited, AClosedStreamCannotBeReadOrWritten) {
  EXPECT_EQ(status_of([] {
              for (const int number : {0, 1, 2}) ::close(number);
              repair_inherited();
              char byte = 'x';
              if (::read(0, &byte, 1) != -1 || errno != EBADF) return 1;
              if (::write(1, &byte, 1) != -1 || errno != EBADF) return 2;
              return ::write(2, &byte, 1) == -1 && errno == EBADF ? 0 : 3;
            }),
            0);
}

TEST(Inherited, OpenStreamsStay) {
  EXPECT_EQ(status_of([] {
              int ends[2];
              if (::pipe(ends) != 0) return 1;
              ::dup2(ends[1], 1);
              ::close(0);
              repair_inherited();
              char byte = 'x';
              return ::write(1, &byte, 1) == 1 && ::read(ends[0], &byte, 1) == 1 ? 0 : 2;
            }),
            0);
}

TEST(Inherited, AnIgnoredSigchldHidesNoExitStatus) {
  EXPECT_EQ(status_of([] {
              std::signal(SIGCHLD, SIG_IGN);
              repair_inherited();
              return subprocess::run({"sh", "-c", "exit 3"}).status;
            }),
            3);
}

TEST(Inherited, ALimitOfFileSizeIsAnErrorAndNoEnd) {
  EXPECT_EQ(status_of([] {
              std::signal(SIGXFSZ, SIG_DFL);
              repair_inherited();
              const rlimit none{};
              ::setrlimit(RLIMIT_FSIZE, &none);
              const int file = ::memfd_create("file", 0);
              return ::write(file, "x", 1) == -1 && errno == EFBIG ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace heed
