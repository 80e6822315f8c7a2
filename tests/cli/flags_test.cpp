// heed translate --flags and --retry, and heed score --flags.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// The model writes the line backwards.
class FlagOptions : public testing::TestWithParam<const char*> {
 protected:
  const std::string model_ = Toy::get().folder / GetParam();
};

INSTANTIATE_TEST_SUITE_P(Models, FlagOptions, testing::Values("rnn", "transformer"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(FlagOptions, StandBehindATranslation) {
  // All words of a toy's translation are those of its source; a short one may be names.
  const auto lines =
      lines_of(product(run_heed({"translate", model_, "--flags"}, "a b c\n\na b c d e f\n")));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], EndsWith("\t-"));
  EXPECT_EQ(lines[1], "\t-");
  EXPECT_THAT(lines[2], HasSubstr("\tcopied"));

  const auto json = nlohmann::json::parse(
      product(run_heed({"translate", model_, "--flags", "--json"}, "a b c d e f\n")));
  EXPECT_EQ(json.at("flags").at(0), "copied");
}

TEST_P(FlagOptions, ALineIsTriedAgainAndStaysWhereThatDoesNotHelp) {
  const std::string input = "a b c d e f\na b c\n";
  const auto once = run_heed({"translate", model_, "--flags"}, input);
  const auto again = run_heed({"translate", model_, "--flags", "--retry"}, input);
  EXPECT_EQ(lines_of(product(again)).size(), 2U);
  EXPECT_EQ(lines_of(product(again)).at(1), lines_of(product(once)).at(1));
  EXPECT_THAT(again.err, HasSubstr("1 translation suspicious"));
  expect_mistake(run_heed({"translate", model_, "--retry", "--n-best", "2"}, input),
                 {"--retry", "--n-best"});
  // Samples have no coverage.
  product(
      run_heed({"translate", model_, "--retry", "--set", "decoding.coverage_penalty=0.1"}, input));
}

TEST_P(FlagOptions, OfGivenPairsStandBehindTheirScores) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "a b c 17 d\na b c d e\na b c d e\n\n"),
                    target = folder.write("target", "d 71 c b a\n\nh h h i j\n\n");
  const auto lines = lines_of(product(run_heed({"score", model_, source, target, "--flags"})));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr("numbers"));
  EXPECT_THAT(lines[1], EndsWith("\tempty"));
  EXPECT_THAT(lines[2], HasSubstr("repetition"));
  EXPECT_THAT(lines[3], EndsWith("\t-"));
  const auto plain = lines_of(product(run_heed({"score", model_, source, target})));
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_THAT(plain[i], Not(HasSubstr("\t")));
    EXPECT_EQ(lines[i].substr(0, plain[i].size()), plain[i]);
  }
}

}  // namespace
}  // namespace heed::cli
