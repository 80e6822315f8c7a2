#include "study/digit_groups.h"

#include <cstddef>

#include "study/number_units.h"
#include "study/numerals.h"
#include "text/characters.h"
#include "text/digits.h"
#include "text/utf8.h"

namespace heed::study {
namespace {

bool is_decimal_sign(char32_t c) {
  return c == U'.' || c == U',' || c == 0x66B || c == 0xFF0C || c == 0xFF0E || c == 0xB7;
}

/// Apostrophes (Swiss, Italian), the underscore of programs and the Arabic thousands separator.
bool groups_digits(char32_t c) {
  return c == U'\'' || c == U'_' || c == 0x2BC || c == 0x2019 || c == 0x66C;
}

/// 10^4, 10^8 or 10^12 in Chinese, Japanese and Korean: 1億2000万.
bool is_power_of_a_myriad(char32_t c) {
  return c == U'万' || c == U'萬' || c == U'亿' || c == U'億' || c == U'兆' || c == U'만' ||
         c == U'억' || c == U'조';
}

/// The sign after the digits of a month in Chinese, Japanese and Korean.
bool follows_month(char32_t c) {
  return c == U'月' || c == U'월';
}

bool may_group_digits(char32_t c) {
  return c == U'-' || c == U'/' || c == U':' || (c >= 0x2010 && c <= 0x2014);
}

/// Begins a group of digits. `gap` is the character between it and the group before; 0 where
/// there are none or several, or no group.
DigitGroup begun_group(char32_t gap) {
  const bool decimal = is_decimal_sign(gap);
  const bool power = is_power_of_a_myriad(gap);
  const Joint joint = gap == 0                                 ? Joint::none
                      : decimal || power || groups_digits(gap) ? Joint::mark
                      : text::is_space(gap)                    ? Joint::blank
                      : may_group_digits(gap)                  ? Joint::loose
                                                               : Joint::none;
  return {.digits = "",
          .joint = joint,
          .after_decimal_sign = decimal,
          .after_power = power,
          .after_colon = gap == U':'};
}

}  // namespace

Digits digits_of(std::string_view text) {
  Digits out;
  std::vector<DigitGroup>& groups = out.groups;
  std::string roman;
  std::u32string chinese;
  char32_t gap = 0;  // the only character since the last group
  std::size_t gap_size = 2;
  bool in_digits = false, in_word = false;
  const auto end_words = [&] {
    if (roman.size() > 1)
      if (const int value = roman_value(roman)) out.in_letters.push_back(whole_number(value));
    if (chinese.size() > 1)
      if (const auto value = chinese_value(chinese)) out.in_letters.push_back(whole_number(*value));
    roman.clear();
    chinese.clear();
  };
  text::each_code_point(text, [&](const text::CodePoint& point, std::string_view bytes) {
    const char32_t c = point.value;
    if (const auto digit = text::digit_value(c)) {
      if (!in_digits) groups.push_back(begun_group(gap_size == 1 && !groups.empty() ? gap : 0));
      groups.back().digits += static_cast<char>('0' + *digit);
      in_digits = true;
      end_words();
      return;
    }
    const bool follows_digits = in_digits || (gap_size == 1 && text::is_space(gap));
    if (follows_digits && !groups.empty()) {  // a blank may stand before the sign
      groups.back().before_power = is_power_of_a_myriad(c);
      groups.back().is_month = follows_month(c);
    }
    if (in_digits)
      groups.back().power_of_unit =
          power_of_unit(text.substr(static_cast<std::size_t>(bytes.data() - text.data())));
    gap_size = in_digits ? 1 : gap_size + 1;
    gap = c;
    in_digits = false;
    const bool letter = c < 0x80 ? ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') : text::is_letter(c);
    if (roman_digit(c) > 0 && (!in_word || !roman.empty()))
      roman += static_cast<char>(c);
    else if (is_chinese_number(c))
      chinese += c;
    else {
      if (letter) roman.clear();
      end_words();
    }
    in_word = letter;
  });
  end_words();
  return out;
}

bool is_year(const std::string& digits) {
  return digits.size() == 4 && (digits[0] == '1' || digits[0] == '2');
}

std::optional<int> hour_of(const std::string& digits) {
  if (digits.size() > 2 || std::stoi(digits) > 24) return std::nullopt;
  return std::stoi(digits);
}

bool may_be_a_month(const std::string& digits) {
  return digits.size() <= 2 && std::stoi(digits) <= 12;
}

bool may_be_days_and_months(const std::string& one, const std::string& two) {
  constexpr int kDays = 31;
  return (may_be_a_month(one) && two.size() <= 2 && std::stoi(two) <= kDays) ||
         (may_be_a_month(two) && one.size() <= 2 && std::stoi(one) <= kDays);
}

bool are_equal_parts(const std::string& one, const std::string& two) {
  return without_leading_zeros(one) == without_leading_zeros(two) ||
         (is_year(one) && one.substr(2) == two) || (is_year(two) && two.substr(2) == one);
}

}  // namespace heed::study
