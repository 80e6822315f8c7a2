// The progress line of heed train, on terminals of several widths and without one.
#include <regex>

#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

  /// The lines with a bar, in order, as they were drawn.
  std::vector<std::string> drawn(unsigned short columns) const {
    const std::string text = on_a_terminal(command({"train", config, "--overwrite"}), columns);
    EXPECT_FALSE(text.starts_with("failed")) << text;
    static const std::regex bar(R"(\[[#.]{4,}\] [^\r]*)");
    std::vector<std::string> lines;
    for (std::sregex_iterator one(text.begin(), text.end(), bar), end; one != end; ++one)
      lines.push_back(one->str());
    return lines;
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
  const Result result = run_heed({"train", config});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, AllOf(Not(HasSubstr("\r")), Not(HasSubstr("tok/s  "))));
  EXPECT_THAT(result.err, HasSubstr("validation at update 40 loss "));
}

}  // namespace
}  // namespace heed::cli
