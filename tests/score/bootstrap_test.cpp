#include <gtest/gtest.h>

#include <vector>

#include "score/bleu_statistics.h"

namespace heed::score {
namespace {

// Differences of -1, 0, 1, 3 and 7 around their mean, 2: -3, -2, -1, 1 and 5. Three of five are as
// large as the real difference, 2, one of them just so. Above the baseline are three, a tie is not.
TEST(CompareDraws, IsTwoSidedAroundTheMeanOfTheDifferences) {
  const std::vector<double> system{1, 1, 4, 3, 12}, baseline{2, 1, 3, 0, 5};
  const Comparison found = compare_draws(system, baseline, 2);
  EXPECT_EQ(found.difference, 2);
  EXPECT_EQ(found.interval.low, -1);
  EXPECT_EQ(found.interval.high, 7);
  EXPECT_DOUBLE_EQ(found.wins, 3.0 / 5);
  EXPECT_DOUBLE_EQ(found.p_value, 4.0 / 6);
  const Comparison reversed = compare_draws(baseline, system, -2);
  EXPECT_EQ(reversed.interval.low, -7);
  EXPECT_EQ(reversed.interval.high, 1);
  EXPECT_DOUBLE_EQ(reversed.wins, 1.0 / 5);
  EXPECT_DOUBLE_EQ(reversed.p_value, 4.0 / 6);
}

// One sentence gives the same difference in each draw. That tells nothing about other sentences.
TEST(CompareDraws, ThatDoNotVaryShowNoDifference) {
  const std::vector<double> system{40, 40, 40}, baseline{15, 15, 15};
  EXPECT_EQ(compare_draws(system, baseline, 25).p_value, 1);
}

TEST(PText, HasThreeDigitsOrSaysThatItIsLess) {
  EXPECT_EQ(p_text(0.0124), "p = 0.012");
  EXPECT_EQ(p_text(0.001), "p = 0.001");
  EXPECT_EQ(p_text(0.00099), "p < 0.001");
}

}  // namespace
}  // namespace heed::score
