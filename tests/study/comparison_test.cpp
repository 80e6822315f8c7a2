#include "study/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/words.h"

namespace heed::study {
namespace {

using testing::ElementsAre;

std::vector<std::string> marked(const std::string& text, const std::string& other) {
  std::vector<std::string> out;
  for (const TextPart& part : marked_differences(text::words_in(text), text::words_in(other)))
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
  EXPECT_FALSE(compares_order(text::words_in(text), text::words_in(other)));
  const std::string common = text.substr(0, 1 + 2 * 19998);
  EXPECT_THAT(marked(text, other), ElementsAre(common, "*a"));
  EXPECT_TRUE(compares_order(std::vector<std::string>(4000), std::vector<std::string>(4000)));
  EXPECT_TRUE(compares_order(std::vector<std::string>(20000), {}));
}

TEST(MarkedDifferences, OfTextWithoutBlanksAreCharactersWithoutBlanks) {
  const auto parts =
      marked_differences(text::words_in("我喜欢 iPhone 吗"), text::words_in("我喜爱 iPhone 吗"));
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].text, "我喜");
  EXPECT_EQ(parts[1].text, "欢");
  EXPECT_FALSE(parts[1].common);
  EXPECT_EQ(parts[2].text, "iPhone吗");
}

}  // namespace
}  // namespace heed::study
