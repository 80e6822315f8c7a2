// The names of months, by which a date in words is told from one in digits.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace heed::study {

inline constexpr std::size_t kMonths = 12;

/// The months of which the text has a name or its usual abbreviation, January as bit 0, in one of
/// the languages of NumberWords. "May" and "March" count as other words, too.
std::bitset<kMonths> months_named_in(std::string_view text);

}  // namespace heed::study
