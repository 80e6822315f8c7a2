#include "base/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <regex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string read_to_end(int descriptor) {
  std::string text;
  char piece[4096];
  for (ssize_t got; (got = ::read(descriptor, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  return text;
}

/// Returns what `action` writes to stderr, in a process of its own, when stderr is `written`.
std::string written_by(int read, int written, const std::function<void()>& action) {
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(written, STDERR_FILENO);
    action();
    ::_exit(0);
  }
  ::close(written);
  std::string text = read_to_end(read);
  ::close(read);
  ::waitpid(process, nullptr, 0);
  return text;
}

std::string on_a_pipe(const std::function<void()>& action) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  return written_by(ends[0], ends[1], action);
}

std::string on_a_terminal(const std::function<void()>& action, unsigned short columns = 40) {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  ::grantpt(controller);
  ::unlockpt(controller);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  const winsize size{24, columns, 0, 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  return written_by(controller, terminal, [&] {
    ::setenv("TERM", "xterm", 1);
    action();
  });
}

TEST(Log, ALineHasATimeAndItsTextUntouched) {
  const std::string text = on_a_pipe([] { log::info("100 % of {} and {0}: 한국어"); });
  EXPECT_TRUE(
      std::regex_match(text, std::regex(R"(\[\d\d:\d\d:\d\d\] 100 % of \{\} and \{0\}: 한국어\n)")))
      << text;
}

TEST(Log, LevelsChooseWhatIsShown) {
  const auto all = [] {
    log::debug("d");
    log::info("i");
    log::warn("w");
    log::error("e");
  };
  EXPECT_THAT(split(on_a_pipe(all), '\n').size(), 4U);  // the last part is empty
  const std::string quiet = on_a_pipe([&] {
    log::set_quiet();
    all();
  });
  EXPECT_THAT(quiet, HasSubstr("] warning: w\n"));
  EXPECT_THAT(quiet, EndsWith("] error: e\n"));
  EXPECT_THAT(quiet, Not(HasSubstr("] i\n")));
  const std::string debug = on_a_pipe([&] {
    log::set_level(log::Level::debug);
    all();
  });
  EXPECT_THAT(debug, HasSubstr("] d\n"));
}

TEST(Log, AnErrorInFilesStaysOffTheTerminal) {
  const TemporaryFolder folder;
  EXPECT_EQ(on_a_pipe([&] {
              log::add_file(folder / "train.log");
              log::error_in_files("interrupted at {}");
            }),
            "");
  EXPECT_THAT(read_file(folder / "train.log"), EndsWith("] error: interrupted at {}\n"));
}

TEST(Log, NothingButTextReachesAFileOrAPipe) {
  const std::string text = on_a_pipe([] {
    log::progress("half way");
    log::warn("careful");
    log::clear_progress();
  });
  EXPECT_THAT(text, Not(HasSubstr("half way")));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

TEST(Log, ProgressIsRedrawnBelowEachLine) {
  const std::string text = on_a_terminal([] {
    log::progress("half way");
    log::info("news");
    log::clear_progress();
    log::info("more");
  });
  EXPECT_THAT(text, HasSubstr("\r\033[Khalf way\r\033[K["));
  EXPECT_THAT(text, HasSubstr("news\r\nhalf way\r\033[K["));  // a terminal turns \n into \r\n
  EXPECT_THAT(text, EndsWith("more\r\n"));
}

TEST(Log, ProgressIsCutToTheTerminalAtWholeCharacters) {
  const std::string text = on_a_terminal([] { log::progress("äöüäöüäöüäöüäöü"); }, 8);
  EXPECT_EQ(text, "\r\033[Käöüäöüä");
}

TEST(Log, ALineIsMadeAnewForTheWidthThatTheTerminalHasNow) {
  const std::string text = on_a_terminal([] {
    log::progress([](int columns) { return std::to_string(columns) + " columns"; });
    const winsize wider{24, 120, 0, 0};
    ::ioctl(STDERR_FILENO, TIOCSWINSZ, &wider);
    log::info("news");
  });
  EXPECT_THAT(text, HasSubstr("\r\033[K39 columns\r\033[K["));
  EXPECT_THAT(text, EndsWith("news\r\n119 columns"));
}

TEST(Log, QuietShowsNoProgress) {
  EXPECT_EQ(on_a_terminal([] {
              log::set_quiet();
              log::progress("half way");
            }),
            "");
}

TEST(Log, ColoursAreForTerminalsAndCanBeRefused) {
  EXPECT_THAT(on_a_terminal([] { log::warn("careful"); }), HasSubstr("\033[33m["));
  const std::string plain = on_a_terminal([] {
    ::setenv("NO_COLOR", "1", 1);
    log::warn("careful");
  });
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
}

TEST(Log, AFileIsAppendedToAtOnceAndHearsMoreThanAQuietTerminal) {
  const TemporaryFolder folder;
  const std::string path = folder.write("train.log", "earlier\n");
  log::set_quiet();
  log::add_file(path);
  log::info("hello");
  log::debug("not this");
  const std::string text = read_file(path);
  log::close_files();
  log::info("after");
  log::set_level(log::Level::info);
  EXPECT_EQ(read_file(path), text);
  EXPECT_TRUE(std::regex_match(
      text, std::regex("earlier\n\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\] hello\n")))
      << text;
}

TEST(Log, AFileThatCannotBeOpenedIsAFailureThatNamesIt) {
  const TemporaryFolder folder;
  folder.write("x", "");
  const std::string said = message_of<Failure>([&] { log::add_file(folder / "x/train.log"); });
  EXPECT_THAT(said, HasSubstr(folder / "x/train.log" + ": cannot write the log: "));
}

TEST(Log, LinesOfSeveralThreadsStayWhole) {
  const std::string text = on_a_pipe([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) log::info("the same words every time");
      });
    for (auto& thread : threads) thread.join();
  });
  const auto lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 201U);
  for (std::size_t i = 0; i < 200; ++i)
    EXPECT_THAT(lines[i], EndsWith("] the same words every time"));
}

}  // namespace
}  // namespace heed
