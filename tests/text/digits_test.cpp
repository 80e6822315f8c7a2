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

}  // namespace
}  // namespace heed::text
