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
  EXPECT_FALSE(learner_of(50, 2).limit().is_of_few);
  EXPECT_EQ(learner_of(4, 2).limit().usual, 0);  // too few
  EXPECT_DOUBLE_EQ(learner_of(100000, 2).limit().usual, 0.4);
}

TEST(Copies, PairsThatAreCopiesTeachNothing) {
  CopyLearner learner = learner_of(60, 1);
  for (int i = 0; i < 500; ++i) learner.learn("a b c d e", "a b c d e");
  EXPECT_DOUBLE_EQ(learner.limit().usual, 0.2);
}

// With a median that few pairs have, more than 90 % of words are copied, and no equal sides are
// right.
TEST(Copies, FewPairsOfNearLanguagesAreJudgedWithCare) {
  const CopyLimit limit = learner_of(9, 4).limit();
  EXPECT_DOUBLE_EQ(limit.usual, 0.8);
  EXPECT_TRUE(limit.is_of_few);
  EXPECT_FALSE(limit.is_copied({"a", "b", "c", "d", "e"}, {"a", "b", "c", "d", "x"}));
  EXPECT_TRUE(limit.is_copied({"a", "b", "c", "d", "e"}, {"a", "b", "c", "d", "e"}));
  EXPECT_FALSE(limit.may_be_equal(1));
}

TEST(Copies, WhatFewPairsDecideIsTold) {
  EXPECT_EQ(learner_of(9, 4).doubt(),
            "copied: 9 pairs of four or more words and not all copied, too few to learn how many "
            "words the languages have in common; about 80 %, so these are taken for near "
            "languages, and only a pair with more than 90 % is copied");
  EXPECT_EQ(learner_of(1, 4).doubt(),
            "copied: 1 pair of four or more words and not all copied, too few to learn how many "
            "words the languages have in common; a pair with more than 60 % counts as copied, "
            "which near languages such as Danish and Norwegian often have in right pairs");
  EXPECT_EQ(learner_of(9, 3).doubt(), "");  // of 60 % nothing depends on it
  EXPECT_EQ(learner_of(50, 4).doubt(), "");
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
