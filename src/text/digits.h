// Decimal digits of every script, and other characters that are numbers.
#pragma once

#include <optional>

namespace heed::text {

/// The value, 0 to 9, of a decimal digit: ASCII, full-width, Arabic-Indic, Devanagari and every
/// other of Unicode's category Nd. Nothing for any other character, superscripts and fractions
/// included.
std::optional<int> digit_value(char32_t c);

/// The value, 0 to 9, of a superscript or subscript digit.
std::optional<int> raised_digit_value(char32_t c);

/// The value, 0 to 50, of a number in a circle, in brackets or with a point that is one character.
std::optional<int> circled_value(char32_t c);

/// The value, 1 to 12, of a Roman number that is one character.
std::optional<int> roman_value_of(char32_t c);

struct Fraction {
  int numerator = 0, denominator = 1;
};

/// The value of a fraction that is one character: one half, two thirds.
std::optional<Fraction> fraction_value(char32_t c);

}  // namespace heed::text
