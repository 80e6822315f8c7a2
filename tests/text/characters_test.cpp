// The properties of characters: written down from Unicode's tables, and for all of them at once.
#include "text/characters.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <utf8proc.h>

#include "text/utf8.h"

// This program has no locales, as a container that lacks their files.
extern "C" locale_t newlocale(int, const char*, locale_t) noexcept {
  return nullptr;
}

namespace heed::text {
namespace {

constexpr char32_t kAfterAll = 0x110000;

bool is_blank_or_control(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || category == UTF8PROC_CATEGORY_CC;
}

TEST(Characters, LettersAreThoseOfAllScriptsAndTheirMarks) {
  for (const char32_t c : std::u32string_view(U"azAZäßÉŁșωΣёЖאبहिी한漢かไⅣªʼ\u0301\u094D\u05B8"))
    EXPECT_TRUE(is_letter(c)) << std::hex << static_cast<uint32_t>(c);
  for (const char32_t c :
       std::u32string_view(U"0@[`{ ٣३²½„“–…»€©😀\u00A0\u200D\uFE0F\uE000\uFFFD\u0378"))
    EXPECT_FALSE(is_letter(c)) << std::hex << static_cast<uint32_t>(c);
}

TEST(Characters, PunctuationIsNeitherLetterNorDigitNorBlank) {
  for (const char32_t c :
       std::u32string_view(U"!/:@[`{~„“–…»€©§¿،。😀²½\u200D\uFE0F\u20E3\uE000\uFFFD"))
    EXPECT_TRUE(is_punctuation(c)) << std::hex << static_cast<uint32_t>(c);
  for (const char32_t c :
       std::u32string_view(U"a0 ä漢٣३\u0301\u094D\u00A0\u2003\u202F\u0085\u0378"))
    EXPECT_FALSE(is_punctuation(c)) << std::hex << static_cast<uint32_t>(c);
}

TEST(Characters, NoneIsOfTwoKinds) {
  for (char32_t c = 0; c < kAfterAll; ++c) {
    const int kinds = is_letter(c) + is_punctuation(c) + is_space(c);
    ASSERT_LE(kinds, 1) << std::hex << static_cast<uint32_t>(c);
    ASSERT_EQ(is_space(c), is_blank_or_control(c)) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(Characters, HaveTheOtherCase) {
  const std::u32string lower = U"azäéłșωςёжაǆⅳⓐ𐐨", upper = U"AZÄÉŁȘΩΣЁЖᲐǄⅣⒶ𐐀";
  ASSERT_EQ(lower.size(), upper.size());
  for (std::size_t i = 0; i < lower.size(); ++i) {
    EXPECT_EQ(to_upper(lower[i]), upper[i]) << i;
    EXPECT_EQ(to_lower(upper[i]), lower[i] == U'ς' ? U'σ' : lower[i]) << i;
  }
  for (const char32_t c : std::u32string_view(U"1.ßא漢٣"))
    EXPECT_EQ(to_upper(c), c);  // the capital of ß is two letters
  EXPECT_EQ(to_lower(U'ẞ'), U'ß');
  EXPECT_EQ(to_lower(U'İ'), U'i');
}

TEST(Characters, OfOneCaseStayAsTheyAre) {
  for (char32_t c = 0; c < kAfterAll; ++c) {
    ASSERT_EQ(to_lower(to_lower(c)), to_lower(c)) << std::hex << static_cast<uint32_t>(c);
    ASSERT_EQ(to_upper(to_upper(c)), to_upper(c)) << std::hex << static_cast<uint32_t>(c);
  }
}

}  // namespace
}  // namespace heed::text
