#include "text/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace heed::text {
namespace {

using testing::ElementsAre;

PieceTable table() {
  PieceTable pieces;
  pieces.add("a", {10, std::log(0.2)});
  pieces.add("b", {11, std::log(0.1)});
  pieces.add("ab", {12, std::log(0.5)});
  pieces.add("abab", {13, std::log(0.1)});
  return pieces;
}

TEST(PieceTable, TellsPiecesFromTheirBeginnings) {
  const PieceTable pieces = table();
  EXPECT_EQ(pieces.find("ab")->id, 12);
  EXPECT_EQ(pieces.find("aba"), nullptr);
  EXPECT_EQ(pieces.begins("aba")->id, PieceTable::kNoPiece);
  EXPECT_EQ(pieces.begins("abb"), nullptr);
}

TEST(PieceTable, KnowsWhatItCanSpell) {
  PieceTable pieces;
  pieces.add("\u00e9", {.id = 4});
  pieces.add("b", {.id = 5});
  pieces.add("bc", {.id = 6});
  EXPECT_TRUE(pieces.spells("b\u00e9b"));
  EXPECT_TRUE(pieces.spells(""));
  EXPECT_FALSE(pieces.spells("bc"));
}

// "ab" is [ab] with 0.5 or [a, b] with 0.2 * 0.1 = 0.02: 25 to 1, and 5 to 1 under alpha = 1/2.
TEST(SampleUnigram, DrawsInProportionToTheSmoothedLikelihood) {
  const PieceTable pieces = table();
  for (const auto& [alpha, odds] :
       {std::pair(1.0, 25.0), std::pair(0.5, 5.0), std::pair(0.0, 1.0)}) {
    Random random(7);
    int whole = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i)
      whole += sample_unigram(pieces, "ab", alpha, random) == std::vector<int32_t>{12};
    const double expected = odds / (1 + odds);
    EXPECT_NEAR(whole / double{kDraws}, expected, 4 * std::sqrt(expected * (1 - expected) / kDraws))
        << alpha;
  }
}

TEST(SampleUnigram, ReachesEverySegmentation) {
  const PieceTable pieces = table();
  Random random(3);
  std::map<std::vector<int32_t>, int> seen;
  for (int i = 0; i < 2000; ++i) ++seen[sample_unigram(pieces, "abab", 0, random)];
  EXPECT_EQ(seen.size(), 5U);  // abab; ab ab; ab a b; a b ab; a b a b
}

TEST(SampleBpe, WithoutDropoutMergesBestFirstAndWithFullDropoutNever) {
  PieceTable pieces;
  pieces.add("a", {10, -10});
  pieces.add("b", {11, -11});
  pieces.add("bb", {12, 0});
  pieces.add("ab", {13, -1});
  pieces.add("abb", {14, -2});
  Random random(1);
  EXPECT_THAT(sample_bpe(pieces, "abb", 0, random), ElementsAre(14));
  EXPECT_THAT(sample_bpe(pieces, "babb", 0, random), ElementsAre(11, 14));
  EXPECT_THAT(sample_bpe(pieces, "abba", 0, random), ElementsAre(14, 10));
  EXPECT_THAT(sample_bpe(pieces, "abb", 1, random), ElementsAre(10, 11, 11));
  EXPECT_TRUE(sample_bpe(pieces, "", 0, random).empty());
}

TEST(SampleBpe, LeavesAMergeOutWithTheGivenProbability) {
  PieceTable pieces;
  pieces.add("a", {10, -10});
  pieces.add("b", {11, -11});
  pieces.add("ab", {12, 0});
  Random random(5);
  int apart = 0;
  for (int i = 0; i < 20000; ++i) apart += sample_bpe(pieces, "ab", 0.1, random).size() == 2;
  EXPECT_NEAR(apart / 20000.0, 0.1, 0.0085);  // four standard errors
}

}  // namespace
}  // namespace heed::text
