#include "text/digits.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace heed::text {
namespace {

bool is_decimal_digit(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

/// Characters of consecutive numbers.
struct DigitRow {
  char32_t first, last;
  int value;  // of the first
};

template <std::size_t N>
std::optional<int> value_in(const std::array<DigitRow, N>& rows, char32_t c) {
  const auto row = std::ranges::find_if(
      rows, [&](const DigitRow& one) { return c >= one.first && c <= one.last; });
  if (row == rows.end()) return std::nullopt;
  return row->value + static_cast<int>(c - row->first);
}

constexpr std::array<DigitRow, 5> kRaised = {{{0xB2, 0xB3, 2},
                                              {0xB9, 0xB9, 1},
                                              {0x2070, 0x2070, 0},
                                              {0x2074, 0x2079, 4},
                                              {0x2080, 0x2089, 0}}};

constexpr std::array<DigitRow, 12> kCircled = {{{0x2460, 0x2473, 1},
                                                {0x2474, 0x2487, 1},
                                                {0x2488, 0x249B, 1},
                                                {0x24EA, 0x24EA, 0},
                                                {0x24EB, 0x24F4, 11},
                                                {0x24F5, 0x24FE, 1},
                                                {0x24FF, 0x24FF, 0},
                                                {0x2776, 0x277F, 1},
                                                {0x2780, 0x2789, 1},
                                                {0x278A, 0x2793, 1},
                                                {0x3251, 0x325F, 21},
                                                {0x32B1, 0x32BF, 36}}};

constexpr std::array<DigitRow, 2> kRoman = {{{0x2160, 0x216B, 1}, {0x2170, 0x217B, 1}}};

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

std::optional<int> raised_digit_value(char32_t c) {
  return value_in(kRaised, c);
}

std::optional<int> circled_value(char32_t c) {
  return value_in(kCircled, c);
}

std::optional<int> roman_value_of(char32_t c) {
  return value_in(kRoman, c);
}

std::optional<Fraction> fraction_value(char32_t c) {
  static constexpr std::u32string_view kSigns =
      U"\u00BC\u00BD\u00BE\u2150\u2151\u2152\u2153\u2154\u2155\u2156\u2157\u2158\u2159\u215A\u215B"
      U"\u215C\u215D\u215E";
  static constexpr std::array<Fraction, kSigns.size()> kValues = {{{1, 4},
                                                                   {1, 2},
                                                                   {3, 4},
                                                                   {1, 7},
                                                                   {1, 9},
                                                                   {1, 10},
                                                                   {1, 3},
                                                                   {2, 3},
                                                                   {1, 5},
                                                                   {2, 5},
                                                                   {3, 5},
                                                                   {4, 5},
                                                                   {1, 6},
                                                                   {5, 6},
                                                                   {1, 8},
                                                                   {3, 8},
                                                                   {5, 8},
                                                                   {7, 8}}};
  const std::size_t index = kSigns.find(c);
  return index == kSigns.npos ? std::nullopt : std::optional(kValues[index]);
}

}  // namespace heed::text
