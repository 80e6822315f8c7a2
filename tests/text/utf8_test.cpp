#include "text/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::text {
namespace {

using testing::ElementsAre;

TEST(Utf8, CodePointsAreReadWithTheirLength) {
  const std::string text = "aß€𝄞";
  EXPECT_EQ(code_point_at(text, 0).value, U'a');
  EXPECT_EQ(code_point_at(text, 1).value, U'ß');
  EXPECT_EQ(code_point_at(text, 1).bytes, 2U);
  EXPECT_EQ(code_point_at(text, 3).value, U'€');
  EXPECT_EQ(code_point_at(text, 6).value, U'𝄞');
  EXPECT_EQ(code_point_at(text, 6).bytes, 4U);
  EXPECT_EQ(count_code_points(text), 4);
}

TEST(Utf8, BrokenBytesBecomeOneReplacementEachMistake) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(repair("a\xFFz"), "a" + mark + "z");
  EXPECT_EQ(repair("\xC3"), mark);                                   // cut off
  EXPECT_EQ(repair("\xE2\x82z"), mark + "z");                        // cut off after two of three
  EXPECT_EQ(repair("\xC0\xAF"), mark + mark);                        // overlong slash
  EXPECT_EQ(repair("\xE0\x80\xAF"), mark + mark + mark);             // overlong
  EXPECT_EQ(repair("\xED\xA0\x80"), mark + mark + mark);             // surrogate
  EXPECT_EQ(repair("\xF4\x90\x80\x80"), mark + mark + mark + mark);  // above U+10FFFF
  EXPECT_EQ(repair("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");         // U+10FFFF itself
  EXPECT_EQ(repair("schön"), "schön");
}

TEST(Utf8, RepairedTextStaysAsItIs) {
  std::string all;
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; b += 7) all += {static_cast<char>(a), static_cast<char>(b)};
  const std::string once = repair(all);
  EXPECT_NE(once, all);
  EXPECT_EQ(repair(once), once);
}

TEST(Utf8, WhatIsAsciiAndWhatIsUtf8IsKnown) {
  EXPECT_TRUE(is_ascii(std::string("a\0\x7F", 3)));
  EXPECT_FALSE(is_ascii("ä"));
  EXPECT_TRUE(is_utf8("aß€𝄞\uFFFD"));
  EXPECT_TRUE(is_utf8(""));
  EXPECT_FALSE(is_utf8("a\xE4"));
  EXPECT_FALSE(is_utf8("\xE4 b"));
}

TEST(Utf8, NulBecomesASpace) {
  EXPECT_EQ(repair(std::string("a\0b", 3)), "a b");
}

TEST(Utf8, SpacesOfEveryKindAreBlank) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\u00A0\u2003\u3000\u2028"));
  EXPECT_FALSE(is_blank(" \t."));
  EXPECT_TRUE(is_blank("\u200B \uFEFF\u00AD"));  // nothing is to be seen
  EXPECT_FALSE(is_blank("\u200Ba"));
}

TEST(Utf8, OtherBlanksAreThoseBeyondAscii) {
  EXPECT_TRUE(has_other_blanks("5\u00A0kg"));
  EXPECT_TRUE(has_other_blanks("ä\u3000"));
  EXPECT_FALSE(has_other_blanks("a b\tä"));
  EXPECT_FALSE(has_other_blanks("a\u200Bb"));
}

TEST(Utf8, AByteOrderMarkGoesWhereverItIs) {
  EXPECT_EQ(repair("a\uFEFFb\uFEFF"), "ab");
  EXPECT_EQ(repair("ä\uFEFF"), "ä");
  EXPECT_EQ(repair("\u200Ba"), "\u200Ba");
}

TEST(Utf8, FoldedSpacesAreAsciiBlanks) {
  EXPECT_EQ(fold_spaces("a\tb\u00A0c\u3000d"), "a b c d");
}

TEST(UpperCase, RaisesEachLetter) {
  EXPECT_EQ(upper_case("Größe, éa 7 я"), "GRÖSSE, ÉA 7 Я");
  EXPECT_EQ(upper_case(""), "");
}

TEST(LowerCase, FollowsPythonBeyondAscii) {
  EXPECT_EQ(lower_case("ÄÖÜ ΟΔΟΣ ЖУК İ ẞ"), "äöü οδος жук i\u0307 ß");
  // Python 3.11 prints the same: accents that are characters of their own end no word.
  EXPECT_EQ(lower_case("ΟΣ\u0301 ΟΣ\u0301Ο ΟΟ\u0301Σ"), "ος\u0301 οσ\u0301ο οο\u0301ς");
}

TEST(Unicode, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(encode_utf8(decode_utf8("a\xffz\xc3")), "a\uFFFDz\uFFFD");
  EXPECT_EQ(one_clean_line("a\r\nb"), "a  b");
  EXPECT_THAT(unicode_words("a\u00a0b\u2003c\x1c"), ElementsAre("a", "b", "c"));
}

TEST(Unicode, KnowsEverySeparatorAtWhichAReaderMaySplit) {
  for (const char* separator :
       {"\n", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"})
    EXPECT_EQ(one_clean_line(std::string("a") + separator + "b"), "a b");
  EXPECT_EQ(one_clean_line(std::string("a\0b", 3)), "a b");
  EXPECT_EQ(one_clean_line("a\tb\u00a0c\x1f"), "a\tb\u00a0c\x1f");
}

}  // namespace
}  // namespace heed::text
