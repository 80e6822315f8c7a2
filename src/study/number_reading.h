// A number as digits and a power of ten, and when two of them may be the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace heed::study {

inline constexpr int kZerosOfThousand = 3;  // words such as "million" stand for as many or more

/// A number without the zeros at both ends: all that is certain where the position of the decimal
/// sign is not known.
struct NumberReading {
  std::string digits;
  std::array<int, 2> exponents;  // of ten: as a whole number, and with its last group as decimals
  int power_of_unit = 0;
  bool any_exponent = false;
  bool is_part = false;       // of a longer number
  bool after_letter = false;  // CO2
  int divisor = 1;            // of the digits, where the number has no end as a decimal: 1/3
  int denominator = 0;        // of a fraction, as the text has it; 0 for other numbers
};

std::string without_leading_zeros(const std::string& digits);

/// The number of these digits, of which so many may stand after the decimal sign, and do if it may
/// not be a whole one.
NumberReading reading_of(const std::string& digits, std::size_t decimals, bool may_be_whole);

NumberReading whole_number(int64_t value);

/// The number whole + numerator / denominator. `whole` < 10^9; the denominator is positive.
NumberReading fraction_of(int64_t whole, int64_t numerator, int64_t denominator);

/// Whether numbers of the same digits have equally many zeros, by themselves or with their units.
bool are_equal(const NumberReading& a, const NumberReading& b);

/// Whether numbers of the same digits may be equal: 1.5 and 1,500,000 may ("1.5 million"), 10 and
/// 100 may not.
bool may_be_equal(const NumberReading& a, const NumberReading& b);

/// Whether the numbers are equal, also where words for thousands, millions and so on stand beside
/// one of them: 5·10⁶ and "5 million".
bool are_equal_with_words(const NumberReading& a, const NumberReading& b);

/// The numbers that a reading may be.
std::array<double, 2> values_of(const NumberReading& number);

/// Whether the numbers differ by no more than this share of the larger one.
bool is_about(double a, double b, double share);

}  // namespace heed::study
