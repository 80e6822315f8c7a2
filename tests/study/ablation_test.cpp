#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/faithful.h"

namespace heed::study {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<score::BleuStatistics> statistics(const std::vector<std::string>& hypotheses) {
  const std::vector<std::string> references{"a b c d e", "f g h i j k"};
  return score::bleu_statistics(hypotheses, references);
}

// Two sentences of 4 and 6 pieces: the loss grows by 1 and 4, that is 0.5 a piece.
TEST(Ablation, TellsWhatIsLostPerPiece) {
  const Trial whole{"nothing", {2, 3}, {}};
  const std::vector<Trial> silenced{{"cross.0.1", {3, 7}, {}}};
  const auto rows = compare_trials(whole, silenced, 10);
  EXPECT_DOUBLE_EQ(rows[0].loss.value, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].loss.interval.low, 0.2);
  EXPECT_DOUBLE_EQ(rows[0].loss.interval.high, 0.8);
  EXPECT_FALSE(rows[0].bleu_change);
  const std::string table = ablation_table(whole, rows, 10);
  EXPECT_THAT(table, HasSubstr("0.5000"));
  EXPECT_THAT(table, HasSubstr("+0.5000 (+0.2000 to +0.8000)"));
  EXPECT_THAT(table, Not(HasSubstr("BLEU")));
}

TEST(Ablation, ComparesTranslationsOfTheSameSentences) {
  const Trial whole{"nothing", {2, 3}, statistics({"a b c d e", "f g h i j k"})};
  const std::vector<Trial> silenced{{"same", {2, 3}, statistics({"a b c d e", "f g h i j k"})},
                                    {"worse", {2, 3}, statistics({"a b c d x", "f g h i j x"})}};
  const auto rows = compare_trials(whole, silenced, 10);
  EXPECT_NEAR(rows[0].bleu, 100, 1e-9);
  EXPECT_EQ(rows[0].bleu_change->difference, 0);
  EXPECT_LT(rows[1].bleu_change->difference, -10);
  EXPECT_LT(rows[1].bleu_change->interval.high, 0);
  EXPECT_THAT(ablation_csv(rows), HasSubstr("\nsame,0.000000,0.000000,0.000000,100.0000,0.0000"));
}

}  // namespace
}  // namespace heed::study
