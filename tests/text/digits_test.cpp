#include "text/digits.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

TEST(Digits, OfEveryScriptHaveTheirValue) {
  EXPECT_EQ(digit_value(U'0'), 0);
  EXPECT_EQ(digit_value(U'9'), 9);
  EXPECT_EQ(digit_value(0x663), 3);    // Arabic-Indic
  EXPECT_EQ(digit_value(0x6F9), 9);    // Persian
  EXPECT_EQ(digit_value(0x966), 0);    // Devanagari
  EXPECT_EQ(digit_value(0x9ED), 7);    // Bengali
  EXPECT_EQ(digit_value(0xE55), 5);    // Thai
  EXPECT_EQ(digit_value(0xFF18), 8);   // full-width
  EXPECT_EQ(digit_value(0x1D7CE), 0);  // the first of five rows of mathematical digits
  EXPECT_EQ(digit_value(0x1D7E1), 9);  // the last of the second row
  EXPECT_EQ(digit_value(0x1D7FF), 9);  // the last of all
}

TEST(Digits, AreNoOtherNumbers) {
  for (const char32_t c : {U'/', U':', U'a', U'\u00B2', U'\u00BD', U'\u2167', U'\u4E09', U'\u2460',
                           U'\uFFFD', char32_t{0}, char32_t{0x110000}})
    EXPECT_EQ(digit_value(c), std::nullopt) << static_cast<uint32_t>(c);
}

TEST(Digits, AreRaisedLoweredOrCircled) {
  EXPECT_EQ(raised_digit_value(0xB9), 1);
  EXPECT_EQ(raised_digit_value(0xB3), 3);
  EXPECT_EQ(raised_digit_value(0x2070), 0);
  EXPECT_EQ(raised_digit_value(0x2079), 9);
  EXPECT_EQ(raised_digit_value(0x2082), 2);  // lowered
  EXPECT_EQ(circled_value(0x2460), 1);
  EXPECT_EQ(circled_value(0x2473), 20);
  EXPECT_EQ(circled_value(0x32BF), 50);
  EXPECT_EQ(circled_value(0x2489), 2);  // with a point
  EXPECT_EQ(circled_value(0x2778), 3);  // white on black
  EXPECT_EQ(roman_value_of(0x2167), 8);
  EXPECT_EQ(roman_value_of(0x217B), 12);  // small
  for (const char32_t c : {U'2', U'\u2071', U'\u208A', U'\u00BD'}) {
    EXPECT_EQ(raised_digit_value(c), std::nullopt) << static_cast<uint32_t>(c);
    EXPECT_EQ(circled_value(c), std::nullopt) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(circled_value(0x24B6), std::nullopt);  // the letter A in a circle
}

TEST(Digits, OfOneCharacterAreFractions) {
  const auto is = [](char32_t c, int numerator, int denominator) {
    const auto value = fraction_value(c);
    return value && value->numerator == numerator && value->denominator == denominator;
  };
  EXPECT_TRUE(is(0xBD, 1, 2));
  EXPECT_TRUE(is(0xBE, 3, 4));
  EXPECT_TRUE(is(0x2150, 1, 7));
  EXPECT_TRUE(is(0x2154, 2, 3));
  EXPECT_TRUE(is(0x215E, 7, 8));
  EXPECT_FALSE(fraction_value(U'/'));
}

}  // namespace
}  // namespace heed::text
