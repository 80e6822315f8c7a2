#include "study/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::study {
namespace {

using testing::ElementsAre;

TEST(AccuracyByFrequency, CountsClippedMatches) {
  const Tokens reference = tokens_of({"a a b", "c"});
  // "a" three times for two; "x" is in no bucket of the reference.
  const Tokens one = tokens_of({"a a a x", "c"}), other = tokens_of({"b", ""});
  const auto buckets = accuracy_by_frequency(reference, {one, other}, frequencies_of(reference));
  ASSERT_EQ(buckets.size(), 9U);
  EXPECT_EQ(buckets[0].label(), "0");
  EXPECT_EQ(buckets[5].label(), "5-9");
  EXPECT_EQ(buckets[8].label(), ">= 1000");
  EXPECT_EQ(buckets[0].systems[0].output, 1);        // x
  const WordMatches& twice = buckets[2].systems[0];  // a
  EXPECT_EQ(twice.matches, 2);
  EXPECT_EQ(twice.output, 3);
  EXPECT_EQ(twice.reference, 2);
  EXPECT_DOUBLE_EQ(twice.f1(), 0.8);                      // precision 2/3, recall 1
  EXPECT_DOUBLE_EQ(buckets[1].systems[0].recall(), 0.5);  // b and c
  EXPECT_DOUBLE_EQ(buckets[1].systems[1].precision(), 1);
  EXPECT_EQ(buckets[2].systems[1].f1(), 0);
}

TEST(NgramDifferences, AreWhatOneGetsRightMoreOften) {
  const Tokens reference = tokens_of({"a b", "a c", "d"});
  const auto found =
      ngram_differences(reference, tokens_of({"a b", "a x", "y"}), tokens_of({"b", "x", "d"}), 2);
  ASSERT_EQ(found.first.size(), 2U);
  EXPECT_EQ(found.first[0].ngram, "a");  // 2 against 0: (2 + 1) / (2 + 2)
  EXPECT_DOUBLE_EQ(found.first[0].share, 0.75);
  EXPECT_EQ(found.first[1].ngram, "a b");
  ASSERT_EQ(found.second.size(), 1U);
  EXPECT_EQ(found.second[0].ngram, "d");
}

TEST(SentencesThatDiffer, BeginWithTheLargestDifference) {
  const Lines reference{"the cat", "a dog", "one two"};
  const auto found = sentences_that_differ(
      reference, {{"a", {"the cat", "a log", "one two"}}, {"b", {"xx", "a dog", "one two"}}}, 5);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 0U);
  EXPECT_GT(found[0].spread, 50);
  EXPECT_GT(found[0].chrf[0], found[0].chrf[1]);
  EXPECT_EQ(found[1].line, 1U);
  EXPECT_DOUBLE_EQ(found[1].spread, found[1].chrf[1] - found[1].chrf[0]);
  EXPECT_GT(found[1].spread, 0);
}

// Against abc, chrF2 of abd is 7/18, of ab 7/11, of x 0 (worked in tests/score/chrf_test.cpp).
TEST(SentencesThatDiffer, AreThoseWhereAnyTwoOfThreeSystemsDo) {
  const Lines reference(5, "abc");
  const std::vector<score::SystemOutput> systems{{"a", {"abd", "ab", "x", "abd", "abc"}},
                                                 {"b", {"abd", "abd", "x", "ab", "abc"}},
                                                 {"c", {"abc", "ab", "x", "x", "abc"}}};
  const auto found = sentences_that_differ(reference, systems, 5);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].line, 3U);  // b and c
  EXPECT_NEAR(found[0].spread, 100 * 7.0 / 11, 1e-10);
  EXPECT_EQ(found[1].line, 0U);  // c and both others
  EXPECT_NEAR(found[1].spread, 100 * 11.0 / 18, 1e-10);
  EXPECT_EQ(found[2].line, 1U);  // b and both others
  EXPECT_NEAR(found[2].spread, 100 * (7.0 / 11 - 7.0 / 18), 1e-10);
  EXPECT_EQ(sentences_that_differ(reference, systems, 2).size(), 2U);
}

std::vector<std::string> marked(const std::string& text, const std::string& other) {
  std::vector<std::string> out;
  for (const TextPart& part : marked_differences(tokens_of({text})[0], tokens_of({other})[0]))
    out.push_back((part.common ? "" : "*") + part.text);
  return out;
}

TEST(MarkedDifferences, AreOutsideALongestCommonSubsequence) {
  EXPECT_THAT(marked("a b c d", "a x c d"), ElementsAre("a", "*b", "c d"));
  EXPECT_THAT(marked("a b", "a b"), ElementsAre("a b"));
  EXPECT_THAT(marked("a b", ""), ElementsAre("*a b"));
  EXPECT_THAT(marked("", "a"), ElementsAre());
  EXPECT_THAT(marked("x y a", "a b"), ElementsAre("*x y", "a"));
}

// 20,000 words on both sides: the numbers of all pairs of words would take 1.6 GB.
TEST(MarkedDifferences, OfLongTextsAreTheWordsThatTheOtherHasLessOften) {
  std::string text = "x", other;
  for (int i = 1; i < 20000; ++i) text += " a";
  for (int i = 0; i < 19998; ++i) other += "a ";
  other += "y x";
  EXPECT_FALSE(compares_order(tokens_of({text})[0], tokens_of({other})[0]));
  const std::string common = text.substr(0, 1 + 2 * 19998);
  EXPECT_THAT(marked(text, other), ElementsAre(common, "*a"));
  EXPECT_TRUE(compares_order(std::vector<std::string>(4000), std::vector<std::string>(4000)));
  EXPECT_TRUE(compares_order(std::vector<std::string>(20000), {}));
}

TEST(MarkedDifferences, OfTextWithoutBlanksAreCharactersWithoutBlanks) {
  const Tokens words = tokens_of({"我喜欢 iPhone 吗", "我喜爱 iPhone 吗"});
  const auto parts = marked_differences(words[0], words[1]);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].text, "我喜");
  EXPECT_EQ(parts[1].text, "欢");
  EXPECT_FALSE(parts[1].common);
  EXPECT_EQ(parts[2].text, "iPhone吗");
}

}  // namespace
}  // namespace heed::study
