#include "study/numerals.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace heed::study {
namespace {

std::string in_roman_digits(int value) {
  static constexpr std::array<std::pair<int, const char*>, 13> kParts = {{{1000, "M"},
                                                                          {900, "CM"},
                                                                          {500, "D"},
                                                                          {400, "CD"},
                                                                          {100, "C"},
                                                                          {90, "XC"},
                                                                          {50, "L"},
                                                                          {40, "XL"},
                                                                          {10, "X"},
                                                                          {9, "IX"},
                                                                          {5, "V"},
                                                                          {4, "IV"},
                                                                          {1, "I"}}};
  std::string text;
  for (const auto& [part, letters] : kParts)
    for (; value >= part; value -= part) text += letters;
  return text;
}

}  // namespace

int roman_digit(char32_t c) {
  static constexpr std::u32string_view kLetters = U"IVXLCDM";
  static constexpr std::array<int, 7> kValues = {1, 5, 10, 50, 100, 500, 1000};
  const std::size_t index = kLetters.find(c);
  return index == kLetters.npos ? 0 : kValues[index];
}

int roman_value(const std::string& word) {
  int value = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const int here = roman_digit(static_cast<unsigned char>(word[i]));
    const int next = i + 1 < word.size() ? roman_digit(static_cast<unsigned char>(word[i + 1])) : 0;
    if (here == 0 || value > 4000) return 0;
    value += here < next ? -here : here;
  }
  return in_roman_digits(value) == word ? value : 0;
}

bool is_chinese_number(char32_t c) {
  static const std::u32string kLetters = U"〇一二三四五六七八九十百千万萬億亿";
  return c >= 0x3007 && kLetters.find(c) != std::u32string::npos;
}

std::optional<int64_t> chinese_value(const std::u32string& letters) {
  static const std::u32string kDigits = U"〇一二三四五六七八九";
  constexpr int64_t kMost = 1'000'000'000;  // so that nothing overflows
  int64_t value = 0, below_myriad = 0, digit = 0;
  bool has_powers = false, empty = true;
  for (const char32_t c : letters) {
    if (value > kMost * 10'000'000 || std::max(below_myriad, digit) > kMost) return std::nullopt;
    empty = false;
    if (const std::size_t index = kDigits.find(c); index != std::u32string::npos) {
      digit = has_powers ? static_cast<int64_t>(index) : 10 * digit + static_cast<int64_t>(index);
      continue;
    }
    has_powers = true;
    const int64_t small = c == U'十' ? 10 : c == U'百' ? 100 : c == U'千' ? 1000 : 0;
    if (small > 0) {
      below_myriad += std::max<int64_t>(digit, 1) * small;
    } else {
      const int64_t large = c == U'万' || c == U'萬' ? 10'000 : 100'000'000;
      value += std::max<int64_t>(below_myriad + digit, 1) * large;
      below_myriad = 0;
    }
    digit = 0;
  }
  if (empty) return std::nullopt;
  return value + below_myriad + digit;
}

}  // namespace heed::study
