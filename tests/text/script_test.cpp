#include "text/script.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "text/utf8.h"

namespace heed::text {
namespace {

TEST(Script, LettersHaveTheirs) {
  for (const char32_t c : decode_utf8("aZäßÿŁạﬁ"))
    EXPECT_EQ(script_of(c), Script::latin) << static_cast<uint32_t>(c);
  for (const char32_t c : decode_utf8("αΩς"))
    EXPECT_EQ(script_of(c), Script::greek) << static_cast<uint32_t>(c);
  for (const char32_t c : decode_utf8("яЁїӘ"))
    EXPECT_EQ(script_of(c), Script::cyrillic) << static_cast<uint32_t>(c);
  for (const char32_t c : decode_utf8("مرحبا"))
    EXPECT_EQ(script_of(c), Script::arabic) << static_cast<uint32_t>(c);
  for (const char32_t c : decode_utf8("東京ひカ老"))
    EXPECT_EQ(script_of(c), Script::han_and_kana) << static_cast<uint32_t>(c);
  EXPECT_EQ(script_of(U'한'), Script::hangul);
  EXPECT_EQ(script_of(U'ก'), Script::thai);
  EXPECT_EQ(script_of(U'अ'), Script::devanagari);
  EXPECT_EQ(script_of(U'ଓ'), Script::oriya);
  for (const char32_t c : decode_utf8("ᐃᓄᒃᏣދܐߒᠮⵣ"))
    EXPECT_EQ(script_of(c), Script::other) << static_cast<uint32_t>(c);
}

TEST(Script, NothingElseHasOne) {
  for (const char32_t c : decode_utf8("0 9.,-–„“«»×÷€…?،٣。、\u00A0\uFFFD🚲\u0301"))
    EXPECT_EQ(script_of(c), Script::none) << static_cast<uint32_t>(c);
}

TEST(Script, EachHasAName) {
  std::set<std::string> names;
  for (int i = 0; i < kScripts; ++i) names.insert(name_of(static_cast<Script>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kScripts));
  EXPECT_STREQ(name_of(Script::latin), "Latin");
  EXPECT_STREQ(name_of(Script::han_and_kana), "Chinese or Japanese");
}

}  // namespace
}  // namespace heed::text
