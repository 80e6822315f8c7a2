#include "text/digits.h"

#include <utf8proc.h>

namespace heed::text {
namespace {

bool is_decimal_digit(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

}  // namespace

std::optional<int> digit_value(char32_t c) {
  if (c < 0x80)
    return c >= '0' && c <= '9' ? std::optional(static_cast<int>(c - '0')) : std::nullopt;
  if (!is_decimal_digit(c)) return std::nullopt;
  // Unicode promises that these digits stand in rows of ten, from 0 to 9 (The Unicode Standard,
  // section 4.6); several rows may follow each other.
  char32_t first = c;
  while (is_decimal_digit(first - 1)) --first;
  return static_cast<int>((c - first) % 10);
}

}  // namespace heed::text
