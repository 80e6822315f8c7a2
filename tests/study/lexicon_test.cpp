#include "study/lexicon.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::study {
namespace {

using Lists = std::vector<Ids>;

Lists likeliest(const Lists& sources, const Lists& targets, int64_t pieces, int64_t best,
                int64_t rounds = 5) {
  return Lexicon(sources, targets, pieces, rounds).likeliest(best);
}

// das Haus - the house, das Buch - the book: 0 1, 0 2.
// At first each word of a source gets half of each target word: c(0|0) = 1, c(1|0) = c(2|0) = 1/2;
// c(0|1) = c(1|1) = 1/2. So p(0|0) = 1/2, p(1|0) = 1/4, p(0|1) = p(1|1) = 1/2, and in the second
// round c(0|1) = (1/2) / (1/2 + 1/2) = 1/2, c(1|1) = (1/2) / (1/4 + 1/2) = 2/3.
const Lists kPairs = {{0, 1}, {0, 2}};

TEST(Lexicon, IsThatOfTheWorkedExample) {
  EXPECT_EQ(likeliest(kPairs, kPairs, 4, 1, 1), Lists({{0}, {0}, {0}, {}}));
  EXPECT_EQ(likeliest(kPairs, kPairs, 4, 1, 2), Lists({{0}, {1}, {2}, {}}));
  EXPECT_EQ(likeliest(kPairs, kPairs, 4, 9, 2), Lists({{0, 1, 2}, {1, 0}, {2, 0}, {}}));
}

TEST(Lexicon, CountsAWordAsOftenAsItIsThere) {
  // In 0 0 1 the first piece gets two of three shares of 5, and alone it gets 6.
  EXPECT_EQ(likeliest({{0, 0, 1}, {0}}, {{5}, {6}}, 2, 1, 1), Lists({{6}, {5}}));
}

TEST(Lexicon, SaysHowWellATargetIsExplained) {
  // After one round: p(0|0) = 1/2, p(1|0) = 1/4, p(0|1) = p(1|1) = 1/2.
  const Lexicon lexicon(kPairs, kPairs, 4, 1);
  // 0 of 0 1: the mean of 1/2 and 1/2; 1 of 0 1: that of 1/4 and 1/2.
  EXPECT_DOUBLE_EQ(lexicon.nats({0, 1}, {0, 1}), -(std::log(0.5) + std::log(0.375)) / 2);
  EXPECT_DOUBLE_EQ(lexicon.nats({1}, {2}), Lexicon::kMostNats);
  EXPECT_EQ(lexicon.nats({}, {2}), 0);
  EXPECT_EQ(lexicon.nats({3}, {3}), Lexicon::kMostNats);  // in no pair
}

TEST(Lexicon, OfNoPairsIsEmpty) {
  EXPECT_EQ(likeliest({{}, {1}}, {{2}, {}}, 2, 3), Lists({{}, {}}));
}

}  // namespace
}  // namespace heed::study
