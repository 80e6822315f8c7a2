// Compares the numbers of a source with those of its translation.
#pragma once

#include <string_view>

namespace heed::study {

/// Whether a number is certainly on one side only. Languages group digits with points, commas,
/// apostrophes and blanks, have other decimal signs, digits, orders of dates and words for numbers:
/// a difference that these may explain does not count. Numbers of one digit are ignored, and so are
/// lines of more than a thousand numbers.
bool differ_in_numbers(std::string_view source, std::string_view target);

}  // namespace heed::study
