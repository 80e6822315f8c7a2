// The numbers, dates and numbers of things that a translation has exactly as its source.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::text {

/// Returns the bytes of the number that begins at `at`, where no word goes on; 0 for none. It is
/// whole: digits of any script with `.`, `,`, `:`, `/` or `'` between them, with blanks between
/// groups of three, with hyphens or dashes between numbers (10-20, 1914–18, 555-123-4567,
/// 2020-04-03T10:30:00Z), or with a power after them (1.6e-19, 10²³, 5×10^6); or letters and digits
/// of an address or key: 00:1A:2B:3C:4D:5E, 550e8400-e29b-41d4-a716-446655440000, 0x1F,
/// 3-16-148410-X. Digits that go on with a number or key that began before them are none.
std::size_t bytes_of_kept_number(std::string_view text, std::size_t at);

}  // namespace heed::text
