#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "score/bleu_statistics.h"

namespace heed::score {
namespace {

WordCounts counts(const std::vector<std::string>& hypotheses,
                  const std::vector<std::string>& references) {
  return word_counts(hypotheses, references);
}

TEST(WordCounts, OfTheReferenceItselfAreNothing) {
  const WordCounts same = counts({"a b a", ""}, {"a b a", ""});
  EXPECT_EQ(same.reference, 3);
  EXPECT_EQ(same.repeated, 0);
  EXPECT_EQ(same.dropped, 0);
}

// "a" once too often, "x" twice though it should not be there at all: once is another mistake. "b"
// and one "c" are missing.
TEST(WordCounts, TellRepeatedAndDroppedWords) {
  const WordCounts some = counts({"a a x x c"}, {"a b c c"});
  EXPECT_EQ(some.reference, 4);
  EXPECT_EQ(some.repeated, 2);
  EXPECT_EQ(some.dropped, 2);
  EXPECT_EQ(some.repeated_share(), 0.5);
  EXPECT_EQ(counts({}, {}).dropped_share(), 0);
  EXPECT_THROW(counts({"a"}, {}), UserError);
}

}  // namespace
}  // namespace heed::score
