// Whether a translation has the numbers of its source. Torch-free.
#pragma once

#include <string_view>

namespace heed::study {

/// Whether a number surely is on one side only. Languages group digits with points, commas,
/// apostrophes and blanks, have other decimal signs, digits, orders of dates and words for numbers:
/// what these may explain is no difference. Numbers of one digit tell nothing, nor do lines of more
/// than a thousand numbers.
bool differ_in_numbers(std::string_view source, std::string_view target);

}  // namespace heed::study
