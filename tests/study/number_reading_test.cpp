// A number as digits and a power of ten.
#include "study/number_reading.h"

#include <gtest/gtest.h>

namespace heed::study {
namespace {

TEST(NumberReading, OfAFractionIsADecimalIfItEnds) {
  const NumberReading mixed = fraction_of(2, 3, 4);  // 2.75
  EXPECT_EQ(mixed.digits, "275");
  EXPECT_EQ(mixed.exponents[1], -2);
  EXPECT_EQ(mixed.divisor, 1);
  EXPECT_EQ(mixed.denominator, 4);
  const NumberReading sixteenth = fraction_of(0, 1, 16);  // 0.0625
  EXPECT_EQ(sixteenth.digits, "625");
  EXPECT_EQ(sixteenth.exponents[0], -4);
  EXPECT_DOUBLE_EQ(values_of(sixteenth)[0], 0.0625);
  EXPECT_TRUE(are_equal(fraction_of(1, 2, 4), reading_of("15", 1, false)));
  EXPECT_EQ(fraction_of(0, 8, 4).digits, "2");
}

TEST(NumberReading, OfAFractionWithoutEndKeepsItsDivisor) {
  const NumberReading third = fraction_of(2, 2, 6);  // 7/3
  EXPECT_EQ(third.digits, "7");
  EXPECT_EQ(third.divisor, 3);
  EXPECT_DOUBLE_EQ(values_of(third)[0], 7.0 / 3);
  EXPECT_TRUE(are_equal(third, fraction_of(0, 7, 3)));
  EXPECT_FALSE(are_equal(third, whole_number(7)));
  EXPECT_FALSE(may_be_equal(third, reading_of("7000", 0, true)));
}

TEST(NumberReading, MayDifferByThreeZerosOrMore) {
  EXPECT_TRUE(may_be_equal(reading_of("15", 1, false), whole_number(1500000)));
  EXPECT_FALSE(may_be_equal(whole_number(10), whole_number(100)));
  EXPECT_TRUE(are_equal(whole_number(30), reading_of("30000", 3, false)));
}

}  // namespace
}  // namespace heed::study
