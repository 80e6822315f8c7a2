#include "text/merges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool any(const std::string&) {
  return true;
}

/// "abc" three times, "ab" twice, "bc" four times: ab is there 5 times, bc 7 times.
MergeLearner learner(std::unordered_set<std::string> known,
                     std::function<bool(const std::string&)> is_allowed = any) {
  known.insert({"a", "b", "c"});
  MergeLearner learner(std::move(known), std::move(is_allowed));
  learner.add({"a", "b", "c"}, 3);
  learner.add({"a", "b"}, 2);
  learner.add({"b", "c"}, 4);
  return learner;
}

TEST(MergeLearner, MergesTheMostFrequentPairFirst) {
  // After bc, a is before bc 3 times and before b twice.
  EXPECT_THAT(learner({}).learn(10), ElementsAre("bc", "abc", "ab"));
  EXPECT_THAT(learner({}).learn(2), ElementsAre("bc", "abc"));
  EXPECT_THAT(learner({}).learn(0), IsEmpty());
}

TEST(MergeLearner, KnownPiecesCountForNothing) {
  EXPECT_THAT(learner({"abc"}).learn(10), ElementsAre("bc", "ab"));
  EXPECT_THAT(learner({"bc"}).learn(1), ElementsAre("abc"));
}

TEST(MergeLearner, WhatIsNotAllowedIsLeftOut) {
  const auto no_bc = [](const std::string& piece) { return piece != "bc"; };
  EXPECT_THAT(learner({}, no_bc).learn(10), ElementsAre("ab", "abc"));
}

TEST(MergeLearner, APairThatIsThereOnceIsNone) {
  MergeLearner learner({"a", "b"}, any);
  learner.add({"a", "b"}, 1);
  EXPECT_THAT(learner.learn(10), IsEmpty());
}

TEST(MergeLearner, AmongEqualsTheFirstSeenGoesFirst) {
  MergeLearner learner({"x", "y", "u", "v"}, any);
  learner.add({"x", "y"}, 2);
  learner.add({"u", "v"}, 2);
  EXPECT_THAT(learner.learn(10), ElementsAre("xy", "uv"));
}

TEST(MergeLearner, ThreeOfAKindAreTwoAndOne) {
  MergeLearner learner({"a"}, any);
  learner.add({"a", "a", "a"}, 2);
  EXPECT_THAT(learner.learn(10), ElementsAre("aa", "aaa"));
}

}  // namespace
}  // namespace heed::text
