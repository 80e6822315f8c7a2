#include "text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Words, AreWhatBlanksSeparate) {
  EXPECT_EQ(count_words(""), 0);
  EXPECT_EQ(count_words("   "), 0);
  EXPECT_EQ(count_words("one"), 1);
  EXPECT_EQ(count_words("  Ein Mann\tfährt\u00A0Rad. "), 4);
  EXPECT_THAT(words_in("나는 개를 좋아한다."), ElementsAre("나는", "개를", "좋아한다."));
  EXPECT_THAT(words_in(" \u3000 "), IsEmpty());
}

TEST(Words, AreCharactersWhereAScriptHasNoBlanks) {
  EXPECT_THAT(words_in("我喜欢狗。"), ElementsAre("我", "喜", "欢", "狗", "。"));
  EXPECT_THAT(words_in("東京へ3回 iPhone 4 で"),
              ElementsAre("東", "京", "へ", "3", "回", "iPhone", "4", "で"));
  EXPECT_THAT(words_in("แมว ดำ"), ElementsAre("แมว", "ดำ"));  // one blank for five characters
  EXPECT_EQ(count_words("แมวดำนอนหลับ"), 12);
  for (const char* line : {"ខ្ញុំស្រឡាញ់", "ຂ້ອຍຮັກ", "ငါချစ်", "ང་དགའ"})
    EXPECT_TRUE(is_unsegmented(line)) << line;
}

TEST(Words, OfSegmentedTextAreThoseOfItsBlanks) {
  EXPECT_THAT(words_in("我 喜欢 中华人民共和国 。"),
              ElementsAre("我", "喜欢", "中华人民共和国", "。"));
  // A blank for each tenth letter is the limit.
  EXPECT_FALSE(is_unsegmented("一二三四五 一二三四五"));
  EXPECT_TRUE(is_unsegmented("一二三四五 一二三四五六"));
  // Blanks around other scripts separate no words of this one.
  EXPECT_TRUE(is_unsegmented("我 a 喜 b 欢"));
  EXPECT_FALSE(is_unsegmented("He said hello"));
}

TEST(Words, OfAFileAreJudgedByMostOfItsLines) {
  const std::vector<std::string> lines = {"我喜欢狗", "", "OK", "他也是"};
  EXPECT_TRUE(are_unsegmented(lines));
  EXPECT_FALSE(are_unsegmented(std::vector<std::string>{"我喜欢狗", "OK"}));
  EXPECT_FALSE(are_unsegmented(std::vector<std::string>{}));
}

TEST(WordsOfParts, PartsMayHaveBlanksAnywhere) {
  const WordsOfParts all = words_of_parts({"a ", " ", "b c", "d", "", " "});
  EXPECT_THAT(all.words, ElementsAre("a", "b", "cd"));
  EXPECT_THAT(all.first, ElementsAre(0, 1, 1, 2, 2, 3));
  EXPECT_THAT(all.last, ElementsAre(0, 1, 2, 2, 2, 3));
}

TEST(WordsOfParts, APartHasSeveralWordsWhereCharactersAreWords) {
  const WordsOfParts all = words_of_parts({" 我", "喜欢i", "Pad", "狗。"});
  EXPECT_THAT(all.words, ElementsAre("我", "喜", "欢", "iPad", "狗", "。"));
  EXPECT_THAT(all.first, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(all.last, ElementsAre(0, 3, 3, 5));
}

}  // namespace
}  // namespace heed::text
