#include "study/lexicon.h"

#include <gtest/gtest.h>

namespace heed::study {
namespace {

using Lists = std::vector<Ids>;

// das Haus - the house, das Buch - the book: 0 1, 0 2.
// At first each word of a source gets half of each target word: c(0|0) = 1, c(1|0) = c(2|0) = 1/2;
// c(0|1) = c(1|1) = 1/2. So p(0|0) = 1/2, p(1|0) = 1/4, p(0|1) = p(1|1) = 1/2, and in the second
// round c(0|1) = (1/2) / (1/2 + 1/2) = 1/2, c(1|1) = (1/2) / (1/4 + 1/2) = 2/3.
const Lists kPairs = {{0, 1}, {0, 2}};

TEST(Lexicon, IsThatOfTheWorkedExample) {
  EXPECT_EQ(likeliest_translations(kPairs, kPairs, 4, 1, 1), Lists({{0}, {0}, {0}, {}}));
  EXPECT_EQ(likeliest_translations(kPairs, kPairs, 4, 1, 2), Lists({{0}, {1}, {2}, {}}));
  EXPECT_EQ(likeliest_translations(kPairs, kPairs, 4, 9, 2),
            Lists({{0, 1, 2}, {1, 0}, {2, 0}, {}}));
}

TEST(Lexicon, CountsAWordAsOftenAsItIsThere) {
  // In 0 0 1 the first piece gets two of three shares of 5, and alone it gets 6.
  EXPECT_EQ(likeliest_translations({{0, 0, 1}, {0}}, {{5}, {6}}, 2, 1, 1), Lists({{6}, {5}}));
}

TEST(Lexicon, OfNoPairsIsEmpty) {
  EXPECT_EQ(likeliest_translations({{}, {1}}, {{2}, {}}, 2, 3), Lists({{}, {}}));
}

}  // namespace
}  // namespace heed::study
