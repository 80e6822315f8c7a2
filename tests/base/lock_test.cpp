#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

std::string machine() {
  char name[256] = "";
  ::gethostname(name, sizeof name);
  return name;
}

/// From now on this process lives on a file system without locks.
bool take_locks_away() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// The exit status of a process, 128 + signal if it was killed.
int wait_for(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Another process that runs `action` and then waits to be killed; it is ready when this returns.
class Other {
 public:
  explicit Other(const std::function<void()>& action) {
    int ready[2];
    EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ready[0]);
      action();
      (void)!::write(ready[1], "r", 1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the other process has ended";
    ::close(ready[0]);
  }
  ~Other() { kill(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  pid_t process() const { return process_; }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    EXPECT_EQ(wait_for(process_), 128 + SIGKILL);
    process_ = 0;
  }

 private:
  pid_t process_;
};

/// The lines of the log while `action` runs, their times left out.
std::string logged(const TemporaryFolder& folder, const std::function<void()>& action) {
  log::add_file(folder / "log");
  action();
  log::close_files();
  return std::regex_replace(read_file(folder / "log"), std::regex(R"((^|\n)\[[^\]]*\] )"), "$1");
}

/// Tests with the locks of the file system and without: each runs in a process of its own, whose
/// failures GoogleTest prints.
class FolderLockTest : public testing::TestWithParam<bool> {
 protected:
  TemporaryFolder folder;
  std::string file = folder / ".heed.lock";

  void in_own_process(const std::function<void()>& action) {
    const pid_t process = ::fork();
    if (process == 0) {
      if (!GetParam() && !take_locks_away()) ::_exit(77);
      try {
        action();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      ::_exit(HasFailure() ? 1 : 0);
    }
    const int status = wait_for(process);
    if (status == 77) GTEST_SKIP() << "this machine cannot take system calls away";
    EXPECT_EQ(status, 0);
  }
};

TEST_P(FolderLockTest, TheFileSaysWhoHoldsTheFolderAndGoesWithTheLock) {
  in_own_process([&] {
    {
      const FolderLock lock(folder.path(), "heed train");
      EXPECT_TRUE(std::regex_match(
          read_file(file),
          std::regex("process: " + std::to_string(::getpid()) + "\nmachine: " + machine() +
                     "\nsince: \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:"
                     "\\d\\d[+-]\\d{4}\ndoing: heed train\n")))
          << read_file(file);
      EXPECT_TRUE(is_held(folder.path()));
    }
    EXPECT_FALSE(is_held(folder.path()));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    const FolderLock again(folder.path(), "heed train");
  });
}

TEST_P(FolderLockTest, ASecondOneIsRefusedAndToldByWhomAndTheCure) {
  in_own_process([&] {
    const Other other([&] { new FolderLock(folder.path(), "heed train x.yaml"); });
    const std::string message =
        message_of<UserError>([&] { FolderLock(folder.path(), "heed average"); });
    const std::string process = std::to_string(other.process());
    EXPECT_THAT(message,
                AllOf(StartsWith(folder.path() + ": in use by heed train x.yaml, process " +
                                 process + " on machine " + machine() + ", since 2"),
                      HasSubstr("; wait for its end, stop it (kill " + process +
                                ") or name another folder")));
    EXPECT_THAT(read_file(file), HasSubstr("process: " + process + "\n"));
  });
}

TEST_P(FolderLockTest, OneProcessHoldsItOnce) {
  in_own_process([&] {
    const FolderLock lock(folder.path(), "heed train");
    EXPECT_THAT(message_of<UserError>([&] { FolderLock(folder.path(), "heed average"); }),
                HasSubstr("in use by heed train, process " + std::to_string(::getpid())));
  });
}

TEST_P(FolderLockTest, WhatAKilledProcessLeftIsTakenOverWithALine) {
  in_own_process([&] {
    Other other([&] { new FolderLock(folder.path(), "heed train"); });
    const std::string process = std::to_string(other.process());
    other.kill();
    const TemporaryFolder logs;
    std::optional<FolderLock> lock;
    const std::string text = logged(logs, [&] { lock.emplace(folder.path(), "heed average"); });
    EXPECT_THAT(text, AllOf(StartsWith(folder.path() + ": was left by heed train, process " +
                                       process + " on machine " + machine()),
                            EndsWith(", which has ended; taken over\n")));
    EXPECT_THAT(read_file(file), HasSubstr("doing: heed average\n"));
  });
}

TEST_P(FolderLockTest, AProgramThatOutlivesItsHolderHoldsNothing) {
  in_own_process([&] {
    pid_t child = 0;
    Other other([&] {
      new FolderLock(folder.path(), "heed train");
      const pid_t program = ::fork();
      if (program == 0) ::execlp("sleep", "sleep", "30", nullptr);
      folder.write("child", std::to_string(program));
      // Until it is another program.
      while (fs::read_symlink("/proc/" + std::to_string(program) + "/exe") ==
             fs::read_symlink("/proc/self/exe"))
        ::usleep(1000);
    });
    other.kill();
    child = std::stoi(read_file(folder / "child"));
    EXPECT_EQ(::kill(child, 0), 0);
    const FolderLock lock(folder.path(), "heed train");
    ::kill(child, SIGKILL);
  });
}

// `heed runs` and `heed watch` take a lock for a moment, and what stands in the file may be of a
// process of another machine that was killed.
TEST(FolderLock, ALookIsNoHolder) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write(".heed.lock", "process: 7\nmachine: another\ndoing: heed train\n");
  const int look = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(look, LOCK_SH | LOCK_NB), 0);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ::close(look);
  });
  const FolderLock lock(folder.path(), "heed train");
  ends.join();
  EXPECT_THAT(read_file(file), HasSubstr("machine: " + machine()));
}

TEST_P(FolderLockTest, NeverDoTwoHoldIt) {
  in_own_process([&] {
    std::vector<pid_t> processes;
    for (int p = 0; p < 3; ++p) {
      processes.push_back(::fork());
      if (processes.back() != 0) continue;
      for (int held = 0; held < 10;) {
        try {
          const FolderLock lock(folder.path(), "heed train");
          const int inside = ::open((folder / "inside").c_str(), O_CREAT | O_EXCL, 0600);
          if (inside < 0) ::_exit(3);  // somebody else is
          ::close(inside);
          ::usleep(50);
          ::unlink((folder / "inside").c_str());
          ++held;
        } catch (const UserError&) {
          ::usleep(50);
        }
      }
      ::_exit(0);
    }
    for (const pid_t process : processes) EXPECT_EQ(wait_for(process), 0);
  });
}

TEST_P(FolderLockTest, AFolderThatCannotBeWrittenIsAFailure) {
  in_own_process([&] {
    EXPECT_EQ(message_of<Failure>([&] { FolderLock(folder / "no", "heed train"); }),
              folder / "no/.heed.lock" + ": cannot write: No such file or directory");
  });
}

TEST_P(FolderLockTest, LeftOversOfDeadProcessesAreRemoved) {
  in_own_process([&] {
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    wait_for(dead);
    const FolderLock lock(folder.path(), "heed train");
    for (const pid_t process : {dead, ::getpid(), ::getppid()})
      for (const char* name : {"a.tmp.", "checkpoints/b.heed.tmp.", "other/c.tmp."})
        folder.write(name + std::to_string(process), "half");
    folder.write("a.tmp.notes", "a user's own");
    lock.remove_left_overs();
    const std::string alive = std::to_string(::getppid());
    std::set<std::string> left;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (entry.is_regular_file()) left.insert(fs::relative(entry.path(), folder.path()));
    EXPECT_THAT(left, testing::UnorderedElementsAre(".heed.lock", "a.tmp.notes", "a.tmp." + alive,
                                                    "checkpoints/b.heed.tmp." + alive,
                                                    "other/c.tmp." + alive,
                                                    "other/c.tmp." + std::to_string(dead),
                                                    "other/c.tmp." + std::to_string(::getpid())));
  });
}

INSTANTIATE_TEST_SUITE_P(Systems, FolderLockTest, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Locks" : "NoLocks"; });

TEST(FolderLockWithoutLocks, AnotherMachinesProcessMayLive) {
  const TemporaryFolder folder;
  folder.write(".heed.lock", "process: 5\nmachine: far\nsince: 2026-03-01\ndoing: heed train\n");
  const pid_t process = ::fork();
  if (process == 0) {
    if (!take_locks_away()) ::_exit(77);
    EXPECT_EQ(message_of<UserError>([&] { FolderLock(folder.path(), "heed train"); }),
              folder.path() +
                  ": in use by heed train, process 5 on machine far, since 2026-03-01; wait for "
                  "its end, stop it (kill 5) or name another folder; if it has ended, remove " +
                  (folder / ".heed.lock"));
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  const int status = wait_for(process);
  if (status == 77) GTEST_SKIP() << "this machine cannot take system calls away";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace heed
