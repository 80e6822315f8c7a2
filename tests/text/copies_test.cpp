#include "text/copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace heed::text {
namespace {

using testing::ElementsAre;

TEST(Copies, WordsAreComparedInLowerCaseAndWithoutPunctuation) {
  EXPECT_THAT(plain_words("Han (bor) i \u00D8st, 7 !"), ElementsAre("han", "bor", "i", "\u00F8st"));
  EXPECT_EQ(copied_words({"a", "b", "a"}, {"a", "a", "a", "c"}), 2);
  EXPECT_EQ(copied_words({}, {"a"}), 0);
}

/// A learner that has seen `pairs` pairs with `copied` of five words in common.
CopyLearner learner_of(int64_t pairs, int copied) {
  CopyLearner learner;
  std::string target = "v w x y z";
  for (int i = 0; i < copied; ++i)
    target[2 * static_cast<std::size_t>(i)] = static_cast<char>('a' + i);
  for (int64_t i = 0; i < pairs; ++i) learner.learn("a b c d e", target);
  return learner;
}

TEST(Copies, TheLimitIsTheCorpusOwn) {
  EXPECT_DOUBLE_EQ(learner_of(50, 2).limit().usual, 0.4);
  EXPECT_TRUE(learner_of(50, 2).limit().is_near());
  EXPECT_FALSE(learner_of(50, 1).limit().is_near());
  EXPECT_EQ(learner_of(49, 2).limit().usual, 0);  // too few
  EXPECT_DOUBLE_EQ(learner_of(100000, 2).limit().usual, 0.4);
}

TEST(Copies, PairsThatAreCopiesTeachNothing) {
  CopyLearner learner = learner_of(60, 1);
  for (int i = 0; i < 500; ++i) learner.learn("a b c d e", "a b c d e");
  EXPECT_DOUBLE_EQ(learner.limit().usual, 0.2);
}

TEST(Copies, ShortLinesOfNearLanguagesMayBeEqual) {
  EXPECT_FALSE(CopyLimit{}.may_be_equal(1));
  EXPECT_FALSE(CopyLimit{.usual = 0.2}.may_be_equal(1));
  EXPECT_TRUE(CopyLimit{.usual = 0.43}.may_be_equal(10));   // 0.43^10 is 0.00022
  EXPECT_FALSE(CopyLimit{.usual = 0.43}.may_be_equal(11));  // 0.00009
  EXPECT_TRUE(CopyLimit{.usual = 0.43}.may_be_equal(0));
}

}  // namespace
}  // namespace heed::text
