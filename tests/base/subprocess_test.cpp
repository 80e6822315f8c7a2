#include "base/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/signals.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::subprocess {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

TEST(Subprocess, GivesInputAndCollectsOutputErrorsAndStatus) {
  const Result result = run({"sh", "-c", "cat; echo oops >&2; exit 3"}, "one\ntwo\n");
  EXPECT_EQ(result.out, "one\ntwo\n");
  EXPECT_EQ(result.err, "oops\n");
  EXPECT_EQ(result.status, 3);
}

TEST(Subprocess, ArgumentsReachTheProgramAsTheyAre) {
  EXPECT_EQ(run({"printf", "%s|", "a b", "$HOME", "*", "it's", ""}).out, "a b|$HOME|*|it's||");
}

TEST(Subprocess, MoreThanAPipeHoldsPassesBothWays) {
  const std::string input(5'000'000, 'x');
  const Result result = run({"sh", "-c", "tee /dev/stderr"}, input);
  EXPECT_EQ(result.out.size(), input.size());
  EXPECT_EQ(result.err.size(), input.size());
}

TEST(Subprocess, AProgramThatDoesNotReadItsInputIsNoError) {
  const Result result = run({"true"}, std::string(5'000'000, 'x'));
  EXPECT_EQ(result.status, 0);
}

TEST(Subprocess, ASignalIsAStatusAbove128) {
  EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).status, 137);
}

TEST(Subprocess, AMissingProgramIsAFailureThatNamesIt) {
  EXPECT_EQ(message_of<Failure>([] { run({"no-such-program"}); }),
            "cannot run 'no-such-program': No such file or directory");
  EXPECT_FALSE(exists("no-such-program"));
  EXPECT_TRUE(exists("sh"));
  EXPECT_TRUE(exists("/bin/sh"));
}

TEST(Copy, ReturnsWhatItsWorkDoesAndCollectsErrors) {
  const Result result = run_in_copy([] {
    std::fputs("oops\n", stderr);
    return std::string(5'000'000, 'x');
  });
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, std::string(5'000'000, 'x'));
  EXPECT_EQ(result.err, "oops\n");
}

TEST(Copy, ChangesNothingInThisProcess) {
  int number = 3;
  EXPECT_EQ(run_in_copy([&] { return std::to_string(++number); }).out, "4");
  EXPECT_EQ(number, 3);
}

TEST(Copy, OfAProcessWithThreadsMayStartItsOwn) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const Result result = run_in_copy([] {
    std::string text;
    std::thread([&] { text = "here"; }).join();
    return text;
  });
  done = true;
  other.join();
  EXPECT_EQ(result.out, "here");
}

TEST(Copy, MayBeEndedByALibrary) {
  const Result ended = run_in_copy([]() -> std::string {
    std::fputs("a library gives up\n", stderr);
    std::exit(255);
  });
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.err, "a library gives up\n");
  const Result crashed = run_in_copy([]() -> std::string {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers handle it
    std::raise(SIGSEGV);
    return "";
  });
  EXPECT_EQ(crashed.status, 128 + SIGSEGV);
}

TEST(Subprocess, AnEndIsToldInWords) {
  EXPECT_EQ(how_it_ended(3), "ended with exit code 3");
  EXPECT_EQ(how_it_ended(139), "was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(how_it_ended(255), "ended with exit code 255");
}

TEST(Child, WritesBothStreamsToTheEndOfItsLog) {
  const TemporaryFolder folder;
  folder.write("log", "before\n");
  Child child = start({"sh", "-c", "echo out; echo err >&2; exit 5"}, folder / "log");
  EXPECT_EQ(child.wait(), 5);
  EXPECT_EQ(child.finished(), 5);
  EXPECT_EQ(read_file(folder / "log"), "before\nout\nerr\n");
}

/// Waits until a process is gone, or a zombie that waits for init: soon, for a busy machine takes
/// its time over a signal.
void expect_end(pid_t process) {
  const auto begin = Clock::now();
  const auto state = [&] {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string found;
    for (std::string word; found.empty() && file >> word;)
      if (word.ends_with(')')) file >> found;
    return found;
  };
  while (!state().empty() && state() != "Z" && seconds_since(begin) < 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(state().empty() || state() == "Z") << state();
}

void wait_for_file(const std::string& path) {
  while (!std::filesystem::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(Subprocess, ASignalFromTheTerminalDoesNotReachTheProgram) {
  const TemporaryFolder folder;
  const pid_t process = ::fork();
  if (process == 0) {
    ::setpgid(0, 0);
    std::signal(SIGINT, SIG_DFL);
    signals::install();
    const std::string script = "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo done";
    const Result result = run({"sh", "-c", "cd " + folder.path() + "; " + script});
    ::_exit(result.status == 0 && result.out == "done\n" && signals::interrupted() ? 0 : 1);
  }
  wait_for_file(folder / "begun");
  ::kill(-process, SIGINT);  // as Ctrl-C does
  folder.write("go", "");
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
}

TEST(Subprocess, TheProgramInheritsNoConnections) {
  const int descriptor = ::open("/dev/null", O_RDONLY);
  ASSERT_GT(descriptor, 2);
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  EXPECT_EQ(run({"test", "-e", path}).status, 1);
  EXPECT_EQ(run({"test", "-e", "/proc/self/fd/2"}).status, 0);
  ::close(descriptor);
}

// stty tostop: a program that is not in front is stopped by SIGTTOU when it writes.
TEST(Subprocess, TheProgramMayWriteToTheTerminal) {
  const std::string out = run({"grep", "SigIgn:", "/proc/self/status"}).out;
  const unsigned long long ignored = std::stoull(out.substr(out.find(':') + 1), nullptr, 16);
  EXPECT_EQ(ignored >> (SIGTTOU - 1) & 1, 1U);
}

TEST(Subprocess, TheProgramIsKilledWithThisProcess) {
  const TemporaryFolder folder;
  const pid_t process = ::fork();
  if (process == 0) {
    run({"sh", "-c", "cd " + folder.path() + "; echo $$ > p; mv p program; exec sleep 60"});
    ::_exit(0);
  }
  wait_for_file(folder / "program");
  ::kill(process, SIGKILL);
  ASSERT_EQ(::waitpid(process, nullptr, 0), process);
  expect_end(std::stoi(read_file(folder / "program")));
}

TEST(Child, IsKilledWithItsOwnChildrenWhenNobodyHoldsItAnyMore) {
  const TemporaryFolder folder;
  const auto begin = Clock::now();
  {
    const Child child = start({"sh", "-c", "sleep 30 & echo $!; wait"}, folder / "log");
    while (read_file(folder / "log").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(seconds_since(begin), 10);
  expect_end(std::stoi(read_file(folder / "log")));
}

/// Makes signals what they are when a process starts: none is ignored, and none has come.
void start_afresh() {
  for (const int number : signals::kRequests) std::signal(number, SIG_DFL);
  signals::clear();
}

TEST(Signals, TheFirstSetsAFlagAndTheSecondEndsTheProcess) {
  const auto twice = [] {
    start_afresh();
    signals::install();
    if (signals::interrupted()) ::_exit(1);
    ::raise(SIGTERM);
    if (!signals::interrupted()) ::_exit(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    ::raise(SIGTERM);
    ::_exit(3);
  };
  EXPECT_EXIT(twice(), ::testing::KilledBySignal(SIGTERM), "");
}

// timeout(1) sends several, and so does a parent that passes on what its children have got, too.
TEST(Signals, SeveralWithinASecondAreOneRequest) {
  const auto repeat = [] {
    start_afresh();
    signals::install();
    for (const int number : {SIGTERM, SIGTERM, SIGINT}) ::raise(number);
    ::_exit(signals::interrupted() ? 0 : 1);
  };
  EXPECT_EXIT(repeat(), ::testing::ExitedWithCode(0), "");
}

TEST(Signals, StopWorkThatAsksOnceOneHasCome) {
  const auto stop = [] {
    start_afresh();
    signals::install();
    signals::stop_if_interrupted();
    ::raise(SIGINT);
    try {
      signals::stop_if_interrupted();
    } catch (const Failure& failure) {
      ::_exit(failure.what() == std::string("interrupted") ? 0 : 2);
    }
    ::_exit(1);
  };
  EXPECT_EXIT(stop(), ::testing::ExitedWithCode(0), "");
}

#ifdef __x86_64__
/// As oneDNN's products do, while a signal comes: the stack pointer leads into `memory`.
void get_signal_with_stack_in(char* memory, int number) {
  int64_t result = SYS_tgkill;
  // A system call takes no more than the stack pointer that it finds.
  asm volatile("mov %%rsp, %%rbx\n mov %[memory], %%rsp\n syscall\n mov %%rbx, %%rsp\n"
               : "+a"(result)
               : "D"(static_cast<int64_t>(::getpid())), "S"(static_cast<int64_t>(::gettid())),
                 "d"(static_cast<int64_t>(number)), [memory] "r"(memory)
               : "rbx", "rcx", "r11", "memory");
}

// A training lost its run to a signal, or saved one that was damaged: what the system keeps for a
// handler was written over the weights.
TEST(Signals, WriteNothingToWhereAProductHasItsStackPointer) {
  const auto calculate = [] {
    start_afresh();
    signals::install();
    std::vector<char> memory(1 << 17, 7);
    get_signal_with_stack_in(memory.data() + (1 << 16), SIGTERM);
    if (!signals::interrupted()) ::_exit(1);
    ::_exit(std::ranges::count(memory, 7) == std::ssize(memory) ? 0 : 2);
  };
  EXPECT_EXIT(calculate(), ::testing::ExitedWithCode(0), "");
}
#endif

TEST(Signals, OfAProcessGoToItsMainThreadAlone) {
  const auto signal_in_thread = [] {
    start_afresh();
    signals::install();
    std::thread([] {
      signals::leave_to_main_thread();
      ::kill(::getpid(), SIGUSR1);
      ::raise(SIGUSR2);  // of this thread alone: it waits
    }).join();
    if (!signals::interrupted()) ::_exit(1);
    signals::leave_to_main_thread();
    ::raise(SIGTERM);
    sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    ::_exit(sigismember(&blocked, SIGTERM) == 0 ? 0 : 2);
  };
  EXPECT_EXIT(signal_in_thread(), ::testing::ExitedWithCode(0), "");
}

// Slurm, Grid Engine and LSF send SIGUSR1 or SIGUSR2 before a time limit and SIGTERM at it; the
// kernel sends SIGXCPU once a second.
TEST(Signals, WarningsOfALimitSetTheFlagHoweverOftenTheyCome) {
  for (const int warning : {SIGUSR1, SIGUSR2, SIGXCPU}) {
    const auto warn = [&] {
      start_afresh();
      signals::install();
      ::raise(warning);
      ::_exit(signals::interrupted() ? 0 : 1);
    };
    EXPECT_EXIT(warn(), ::testing::ExitedWithCode(0), "") << warning;
  }
  const auto repeat = [] {
    start_afresh();
    signals::install();
    for (const int number : {SIGUSR1, SIGUSR2, SIGXCPU}) ::raise(number);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    for (const int number : {SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGUSR1}) ::raise(number);
    ::_exit(0);
  };
  EXPECT_EXIT(repeat(), ::testing::ExitedWithCode(0), "");
}

TEST(Signals, AreRequestsWhereTheyAskForAnEnd) {
  for (const int status : {130, 143, 129, 138, 140, 152})  // 2, 15, 1, 10, 12, 24 on Linux
    EXPECT_TRUE(signals::is_request(status)) << status;
  for (const int status : {0, 1, 2, 15, 70, 134, 137, 139})
    EXPECT_FALSE(signals::is_request(status)) << status;
}

TEST(Signals, ALostTerminalSetsTheFlagHoweverOftenItIsTold) {
  const auto lose = [] {
    start_afresh();
    signals::install();
    for (const int number : {SIGHUP, SIGHUP, SIGTERM, SIGHUP}) ::raise(number);
    ::_exit(signals::interrupted() ? 0 : 1);
  };
  EXPECT_EXIT(lose(), ::testing::ExitedWithCode(0), "");
}

TEST(Signals, WhatIsIgnoredStaysIgnored) {
  const auto ignore = [] {
    start_afresh();
    for (const int number : {SIGINT, SIGHUP}) std::signal(number, SIG_IGN);
    signals::install();
    for (const int number : {SIGINT, SIGHUP}) ::raise(number);
    if (signals::interrupted()) ::_exit(1);
    ::raise(SIGTERM);
    ::_exit(signals::interrupted() ? 0 : 2);
  };
  EXPECT_EXIT(ignore(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heed::subprocess
