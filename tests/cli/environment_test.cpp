// A program may be started with anything: closed or full streams, ignored signals, one file for
// both streams, paths that are too long.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;

/// `heed ARGUMENTS REDIRECTION`, as a shell runs it. A stream that is closed there is one that heed
/// itself begins without: the stand-in of the fork server then becomes heed.
Result run_in_shell(const std::vector<std::string>& arguments, const std::string& redirection) {
  std::vector<std::string> shell = {"sh", "-c", "exec \"$0\" \"$@\" " + redirection};
  for (const std::string& word : command_of(paths::kServed, arguments)) shell.push_back(word);
  return subprocess::run(shell);
}

/// One command of each way to print.
std::vector<std::vector<std::string>> printing_commands() {
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "test.src", target = toy.folder / "test.tgt";
  return {{"--version"},
          {"train", "--help"},
          {"config"},
          {"config", "--explain", "model.heads"},
          {"doctor"},
          {"inspect", toy.rnn},
          {"-q", "score", toy.rnn, source, target},
          {"-q", "translate", toy.rnn, source},
          {"-q", "attention", toy.rnn, "--text", "a b"},
          {"-q", "evaluate", "--hypothesis", source, "--reference", target}};
}

TEST(Environment, AFullDiskBehindStdoutIsAFailureOfEveryCommand) {
  for (const auto& arguments : printing_commands()) {
    SCOPED_TRACE(arguments.front() + " " + arguments.back());
    expect_one_line_error(run_in_shell(arguments, "> /dev/full"), 1, {"standard output"});
  }
}

TEST(Environment, AClosedStdoutIsAFailureWhereSomethingIsPrinted) {
  expect_one_line_error(run_in_shell({"config"}, ">&-"), 1, {"standard output"});
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 40, 5);
  write_toy_pairs(folder, "valid", 3, 6);
  const std::string config = write_toy_config(folder, {"run", kNone, "updates: 2"});
  EXPECT_EQ(run_in_shell({"config", config, "--check"}, ">&-").status, 0);
}

TEST(Environment, ALimitOfFileSizeIsAFailureThatNamesTheFile) {
  const TemporaryFolder folder;
  const std::string text = write_toy_pairs(folder, "text", 300, 5) + ".src", spm = folder / "spm";
  const Result result =
      subprocess::run({"sh", "-c", "ulimit -f 0; exec \"$0\" vocab \"$1\" -o \"$2\" --size 30",
                       paths::kHeed, text, spm});
  expect_one_line_error(result, 1, {spm, "File too large"});
  EXPECT_FALSE(std::filesystem::exists(spm));
}

struct ScoringTest : testing::Test {
  TemporaryFolder folder;
  std::string file = folder.write("a.txt", "a b c d\n");
  std::vector<std::string> arguments = {"-q", "evaluate",    "--hypothesis",
                                        file, "--reference", file};
};

TEST_F(ScoringTest, WorksWhateverStreamsAreClosed) {
  for (const char* closed : {"<&-", "2>&-", "<&- 2>&-"}) {
    SCOPED_TRACE(closed);
    EXPECT_THAT(product(run_in_shell(arguments, closed)), HasSubstr("BLEU 100.00"));
  }
  EXPECT_EQ(run_in_shell(arguments, ">&-").status, 1);
}

TEST_F(ScoringTest, WorksWhereSigchldIsIgnored) {
  EXPECT_THAT(product(run_heed_in({"--ignore-signal=CHLD"}, arguments)), HasSubstr("BLEU 100.00"));
}

TEST_F(ScoringTest, WorksWithoutATemporaryFolder) {
  EXPECT_THAT(product(run_heed_in({"TMPDIR=/nowhere"}, arguments)), HasSubstr("BLEU 100.00"));
}

TEST_F(ScoringTest, WritesTranslationsToADescriptor) {
  const Result result =
      run_in_shell({"-q", "evaluate", Toy::get().rnn, "-o", "/dev/fd/5"}, "5> " + (folder / "out"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(lines_of(read_file(folder / "out")).size(), 25U);
}

/// The processes that a process has started.
std::vector<int> children_of(int process) {
  const std::string number = std::to_string(process);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  return {std::istream_iterator<int>(file), {}};
}

TEST(Environment, WhateverEndsTheTrainerOfAVocabularyIsOneLine) {
  const TemporaryFolder folder;
  const std::string text = write_toy_pairs(folder, "text", 20'000, 5) + ".src",
                    log = folder / "log";
  subprocess::Child vocab =
      subprocess::start(command({"vocab", text, "-o", folder / "spm", "--size", "60"}), log);
  std::vector<int> trainer;
  while ((trainer = children_of(vocab.process())).empty() && !vocab.finished())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(trainer.size(), 1U) << read_file(log);
  ::kill(trainer.front(), SIGSEGV);
  EXPECT_EQ(vocab.wait(), 1);
  EXPECT_EQ(read_file(log),
            "heed: " + text +
                ": SentencePiece cannot train: it was ended by signal 11 (Segmentation fault); "
                "leave out lines that are no sentences, or give less text\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "spm"));
}

TEST(Environment, TheTrainerOfAVocabularyEndsWithItsCommand) {
  const TemporaryFolder folder;
  const std::string text = write_toy_pairs(folder, "text", 20'000, 5) + ".src";
  subprocess::Child vocab = subprocess::start(
      command({"vocab", text, "-o", folder / "spm", "--size", "60"}), folder / "log");
  std::vector<int> trainer;
  while ((trainer = children_of(vocab.process())).empty() && !vocab.finished())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(trainer.size(), 1U);
  ::kill(vocab.process(), SIGKILL);
  EXPECT_EQ(vocab.wait(), 128 + SIGKILL);
  const auto lasts = [&] {  // an orphan, for another process to wait for, is no process any more
    std::ifstream file("/proc/" + std::to_string(trainer.front()) + "/stat");
    std::string number, name, state;
    return file >> number >> name >> state && state != "Z";
  };
  for (int tries = 0; lasts() && tries < 5000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(lasts());
}

TEST(Environment, APathThatIsTooLongIsNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.txt", "a\n");
  const std::string name(300, 'x'), path = folder / name;
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"translate", path},
           {"translate", Toy::get().rnn, path},
           {"inspect", path},
           {"config", path},
           {"train", path + "/c.yaml"},
           {"average", path + "/y", "-o", folder / "mean"},
           {"average", Toy::get().rnn, "-o", path},
           {"export", Toy::get().transformer, "-o", path},
           {"evaluate", "--hypothesis", path, "--reference", file},
           {"lengths", "--source", file, "--reference", path, "--hypothesis", file}}) {
    SCOPED_TRACE(arguments.front());
    const Result result = run_heed(arguments);
    EXPECT_TRUE(result.status == 1 || result.status == 2) << result.status;
    expect_one_line_error(result, result.status, {name, "File name too long"});
  }
}

TEST(Environment, ADeletedWorkingFolderIsOneLine) {
  const TemporaryFolder folder;
  const std::string script = "mkdir gone && cd gone && rmdir ../gone && exec \"$1\" --version";
  const Result result =
      subprocess::run({"sh", "-c", "cd \"$0\" && " + script, folder.path(), paths::kHeed});
  expect_one_line_error(result, 1, {"the working folder has been deleted; go to another one (cd)"});
}

TEST(Environment, LinesStayWholeWhereBothStreamsGoToOneFile) {
  const TemporaryFolder folder;
  std::string source;
  for (int line = 1; line <= 400; ++line)
    for (int word = 0; word < (line % 100 == 50 ? 40 : 12); ++word)
      source += word == 0 ? (line > 1 ? "\na" : "a") : " b";
  const std::string input = folder.write("input", source + "\n"), both = folder / "both";
  const std::vector<std::string> arguments = {"translate",
                                              Toy::get().rnn,
                                              input,
                                              "--beam",
                                              "1",
                                              "--batch",
                                              "4",
                                              "--set",
                                              "decoding.max_source_length=20"};
  EXPECT_EQ(run_in_shell(arguments, "> " + both + " 2>&1").status, 0) << read_file(both);
  const auto alone = lines_of(run_in_shell(arguments, "2> /dev/null").out);
  std::vector<std::string> translations, messages;
  for (const std::string& line : lines_of(read_file(both)))
    (line.starts_with("[") ? messages : translations).push_back(line);
  EXPECT_EQ(translations, alone);
  EXPECT_EQ(alone.size(), 400U);
  EXPECT_GE(messages.size(), 2U);
  for (const std::string& message : messages) EXPECT_THAT(message, HasSubstr("warning: "));
}

}  // namespace
}  // namespace heed::cli
