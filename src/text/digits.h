// Decimal digits of every script.
#pragma once

#include <optional>

namespace heed::text {

/// The value, 0 to 9, of a decimal digit: ASCII, full-width, Arabic-Indic, Devanagari and every
/// other of Unicode's category Nd. Nothing for any other character, superscripts and fractions
/// included.
std::optional<int> digit_value(char32_t c);

}  // namespace heed::text
