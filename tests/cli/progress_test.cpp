// Lines that heed writes to a terminal alone: the progress line of heed train, on terminals of
// several widths and without one, that of other commands, and the prompt of heed translate.
#include <regex>

#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The lines with a bar, in order, as they were drawn.
std::vector<std::string> bars_of(const std::string& text) {
  EXPECT_FALSE(text.starts_with("failed")) << text;
  static const std::regex bar(R"(\[[#.]{4,}\] [^\r]*)");
  std::vector<std::string> lines;
  for (std::sregex_iterator one(text.begin(), text.end(), bar), end; one != end; ++one)
    lines.push_back(one->str());
  return lines;
}

struct ProgressTest : testing::Test {
  TemporaryFolder folder;
  std::string config;

  ProgressTest() {
    write_toy_pairs(folder, "train", 1500, 1);
    write_toy_pairs(folder, "valid", 20, 2);
    config = write_toy_config(folder, {"run", kTransformer,
                                       "updates: 120, validate_every: 40, save_every: 500, "
                                       "log_every: 1000, learning_rate: 0.01"});
  }

  std::vector<std::string> drawn(unsigned short columns) const {
    return bars_of(on_a_terminal(command({"train", config, "--overwrite"}), columns));
  }
};

TEST_F(ProgressTest, ShowsAllAtOnceWhereThereIsRoom) {
  const auto lines = drawn(120);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_THAT(lines.front(), AllOf(HasSubstr("]  0 %  0/120  starting"), Not(HasSubstr("left"))));
  EXPECT_TRUE(std::regex_match(
      lines.back(),
      std::regex(R"(\[#+\.*\] *\d+ %  \d+/120  loss \d\.\d{3}  rate \d\.\de-\d  [\d.k]+ tok/s  )"
                 R"((\d+s left|validating)  valid \d\.\d{3}  best \d\.\d{3})")))
      << lines.back();
}

TEST_F(ProgressTest, KeepsWhatMattersIn80And40Columns) {
  const auto lines = drawn(80);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_TRUE(std::regex_match(
      lines.back(), std::regex(R"(\[#+\.*\] *\d+ %  (\d+/120  )?loss \d\.\d{3}  rate \d\.\de-\d  )"
                               R"((\d+s left|validating)  valid \d\.\d{3}  best \d\.\d{3})")))
      << lines.back();
  const auto narrow = drawn(40);
  ASSERT_GE(narrow.size(), 2U);
  EXPECT_THAT(narrow.front(), HasSubstr("starting"));
  EXPECT_TRUE(std::regex_match(
      narrow.back(),
      std::regex(R"(\[#+\.*\] \d\.\d\d \de-\d (\d+s|\.\.\.) val \d\.\d\d best \d\.\d\d)")))
      << narrow.back();
  for (const std::string& line : lines) EXPECT_LE(line.size(), 79U) << line;
  for (const std::string& line : narrow) EXPECT_LE(line.size(), 39U) << line;
}

TEST_F(ProgressTest, IsNotThereWithoutATerminal) {
  const Result result = run_heed({"train", config, "--set", "training.updates=40"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, AllOf(Not(HasSubstr("\r")), Not(HasSubstr("tok/s  "))));
  EXPECT_THAT(result.err, HasSubstr("validation at update 40 loss "));
}

TEST(Progress, IsShownByWhatTakesLong) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const QuickScorer scorer;
  const auto first_of = [&](const std::string& name) {
    auto lines = lines_of(read_file(toy.folder / name));
    lines.resize(8);
    return folder.write(name, join(lines, "\n") + "\n");
  };
  const std::string source = first_of("test.src"), target = first_of("test.tgt");
  const std::vector<std::string> pairs{"--source", source, "--target", target};
  const auto expect_bar = [&](std::vector<std::string> arguments, const std::string& first,
                              bool with_pairs = true) {
    if (with_pairs) arguments.insert(arguments.end(), pairs.begin(), pairs.end());
    const std::vector<std::string> lines = bars_of(on_a_terminal(command(arguments), 100));
    ASSERT_FALSE(lines.empty()) << arguments[0];
    EXPECT_THAT(lines, testing::Contains(HasSubstr("]  0 %  " + first))) << arguments[0];
    const Result piped = run_heed(arguments);
    EXPECT_EQ(piped.err.find('\r'), std::string::npos) << piped.err;
  };
  expect_bar({"faithful", toy.transformer, "--draws", "1", "--integration-steps", "1"},
             "0/8 sentences read");
  expect_bar({"heads", toy.transformer}, "0/8 sentences read");
  expect_bar({"heads", toy.transformer, "--ablate", "--no-bleu"}, "0/30 heads and layers silenced");
  expect_bar({"align", toy.transformer}, "0/8 sentences aligned");
  expect_bar({"prune", toy.transformer, "--keep", "100", "-o", folder / "pruned"},
             "0/24 heads tried, to find the next one to remove");
  expect_bar(
      {"translate", toy.transformer, source, "-o", folder / "out", "--set", "decoding.mbr=2"},
      "0/8 lines translated", /*with_pairs=*/false);
  expect_bar({"evaluate", toy.transformer, "--source", source, "--reference", target},
             "0/8 sentences translated", /*with_pairs=*/false);
  expect_bar({"init", toy.folder / "train.src", toy.folder / "train.tgt", "-o", folder / "i.yaml",
              "--data", folder / "parts", "--force"},
             "0/4,500 pairs read, to split them", /*with_pairs=*/false);
}

TEST(Prompt, IsForLinesThatAreTyped) {
  const Toy& toy = Toy::get();
  const std::vector<std::string> arguments{"translate", toy.rnn};
  const auto translations = lines_of(product(run_heed(arguments, "a b\nc d\n")));
  const std::string text = on_a_terminal(command(arguments), 80, {"a b\n", "c d\n", "\x04"});
  EXPECT_THAT(text, HasSubstr("type a line and press Enter"));
  EXPECT_THAT(
      text, testing::EndsWith("> " + translations[0] + "\r\n> " + translations[1] + "\r\n> \r\n"));
  // Nobody types where stdin is no terminal.
  EXPECT_THAT(run_heed(arguments, "a b\n").err, Not(HasSubstr("> ")));
  EXPECT_THAT(
      on_a_terminal({"sh", "-c", "echo a b | \"$0\" translate \"$1\"", paths::kHeed, toy.rnn}, 80),
      AllOf(Not(HasSubstr("> ")), Not(HasSubstr("press Enter"))));
}

}  // namespace
}  // namespace heed::cli
