#include "study/digit_groups.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

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

bool is_apostrophe(char32_t c) {
  return c == U'\'' || c == 0x2BC || c == 0x2019;
}

/// Apostrophes (Swiss, Italian), the underscore of programs and the Arabic thousands separator.
bool groups_digits(char32_t c) {
  return is_apostrophe(c) || c == U'_' || c == 0x66C;
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
  return is_dash(c) || is_slash(c) || c == U':';
}

constexpr char32_t kMiddleDot = 0xB7, kRaisedMinus = 0x207B, kLoweredMinus = 0x208B;

/// Units of which the square and the cube are written with a plain digit, too: m2.
constexpr std::array<std::string_view, 12> kLengths = {"m",  "km", "cm", "mm", "dm", "ft",
                                                       "in", "yd", "м",  "км", "см", "мм"};

/// Whether what stands between two numbers multiplies them.
bool is_times(std::string_view gap) {
  static constexpr std::array<std::string_view, 10> kSigns = {
      "\u00D7", "\u00B7", "\u22C5", "\u2219", "\u2022", "x", "X", "*", "\\times", "\\cdot"};
  for (const std::string_view blank : {" ", "\u00A0", "\u2009", "\u202F"}) {
    if (gap.starts_with(blank)) gap.remove_prefix(blank.size());
    if (gap.ends_with(blank)) gap.remove_suffix(blank.size());
  }
  return std::ranges::count(kSigns, gap) > 0;
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
  DigitGroup group;
  group.joint = joint;
  group.sign = gap;
  group.after_decimal_sign = decimal;
  group.after_power = power;
  return group;
}

/// Digits, as ASCII, and where they end.
struct Run {
  std::string digits;
  std::size_t end = 0;
};

/// Reads a text from its beginning to its end.
class DigitReader {
 public:
  explicit DigitReader(std::string_view text) : text_(text) {}

  Digits read() {
    while (at_ < text_.size()) {
      const char32_t c = value_at(at_);
      if (text::digit_value(c))
        read_group();
      else if (c < 0x80 && c != U'^')  // most characters
        pass();
      else if (const auto circled = text::circled_value(c))
        read_circled(*circled);
      else if (const auto fraction = text::fraction_value(c))
        read_fraction({fraction->numerator, fraction->denominator}, end_of(at_));
      else if (!read_raised() && !read_power())
        pass();
    }
    end_words();
    return std::move(out_);
  }

 private:
  /// The character at this place; a line feed at the end.
  char32_t value_at(std::size_t at) const {
    return at < text_.size() ? text::code_point_at(text_, at).value : U'\n';
  }
  std::size_t end_of(std::size_t at) const {
    return at + (at < text_.size() ? text::code_point_at(text_, at).bytes : 0);
  }

  /// The digits at this place, of which `value` tells.
  template <class Value>
  Run run_at(std::size_t at, const Value& value) const {
    Run run;
    run.end = at;
    for (; run.end < text_.size(); run.end = end_of(run.end)) {
      const auto digit = value(value_at(run.end));
      if (!digit) break;
      run.digits += static_cast<char>('0' + *digit);
    }
    return run;
  }
  Run digits_at(std::size_t at) const { return run_at(at, text::digit_value); }
  Run raised_at(std::size_t at) const { return run_at(at, text::raised_digit_value); }

  bool is_letter_at(std::size_t at) const {
    return at < text_.size() && text::is_letter(value_at(at));
  }

  void read_group() {
    const Run run = digits_at(at_);
    const char32_t after = value_at(run.end);
    if (is_power_of_length(run)) {
      out_.raised.push_back({run.digits});
      pass_to(run.end);
      return;
    }
    const bool lacks_zero = gap_size_ > 0 && gap_ == U'.' && begins_number(at_ - 1);
    if (lacks_zero) out_.groups.push_back({.digits = "0"});
    DigitGroup group =
        begun_group(lacks_zero || (gap_size_ == 1 && !out_.groups.empty()) ? gap_ : 0);
    group.digits = run.digits;
    // Feet and inches: 5'11".
    constexpr std::size_t kGrouped = 3;
    if (is_apostrophe(group.sign) && group.digits.size() != kGrouped) group.joint = Joint::none;
    group.after_letter = gap_size_ > 0 && in_word_;
    const char32_t sign = text::is_space(after) ? value_at(end_of(run.end)) : after;
    group.before_power = is_power_of_a_myriad(sign);  // a blank may stand before it
    group.is_month = follows_month(sign);
    group.power_of_unit = power_of_unit(text_.substr(run.end));
    group.multiplies =
        !out_.groups.empty() && is_times(text_.substr(end_of_group_, at_ - end_of_group_));
    end_words();
    at_ = end_of_group_ = run.end;
    gap_size_ = 0;
    const bool may_have_power = !group.after_letter && (after == U'e' || after == U'E');
    out_.groups.push_back(std::move(group));
    if (may_have_power) read_power_of_ten();
  }

  /// Whether the point at this place begins a number that is below 1, as in "by .5 points".
  bool begins_number(std::size_t point) const {
    const char32_t before = text::value_before(text_, point);
    return point == 0 || text::is_space(before) || is_dash(before) || before == 0x2212 ||
           std::u32string_view(U"([<>=~+≈±$€£").find(before) != std::u32string_view::npos;
  }

  /// Whether this digit after the name of a unit says that it is a square or a cube.
  bool is_power_of_length(const Run& run) const {
    return (run.digits == "2" || run.digits == "3") && gap_size_ > 0 && in_word_ &&
           std::ranges::count(kLengths, word_) > 0 && !is_letter_at(run.end);
  }

  /// Reads the e-19 of 1.6e-19 as 10 and a power of it.
  void read_power_of_ten() {
    constexpr std::size_t kMostDigits = 3;
    std::size_t place = at_ + 1;
    const bool is_negative = is_minus(value_at(place));
    if (is_negative || value_at(place) == U'+') place = end_of(place);
    const Run run = digits_at(place);
    if (run.digits.empty() || run.digits.size() > kMostDigits || is_letter_at(run.end)) return;
    out_.groups.push_back({.digits = "10", .multiplies = true});
    out_.raised.push_back({run.digits, is_negative});
    out_.groups.back().power_of_ten = power_of(out_.raised.back());
    pass_to(run.end);
  }

  /// Reads superscripts or subscripts, if they are next: a number, or one above another.
  bool read_raised() {
    const char32_t c = value_at(at_);
    const bool is_negative = c == kRaisedMinus || c == kLoweredMinus;
    const Run run = raised_at(is_negative ? end_of(at_) : at_);
    if (run.digits.empty()) return false;
    if (is_slash(value_at(run.end))) {
      const Run below = raised_at(end_of(run.end));
      constexpr std::size_t kMostDigits = 3;
      if (!below.digits.empty() && below.digits[0] != '0' && run.digits.size() <= kMostDigits &&
          below.digits.size() <= kMostDigits) {
        read_fraction({std::stoi(run.digits), std::stoi(below.digits)}, below.end);
        return true;
      }
    }
    add_power({run.digits, is_negative}, run.end);
    return true;
  }

  /// Reads ^23, ^-5, ^{23} or ^(23), if it is next.
  bool read_power() {
    if (value_at(at_) != U'^') return false;
    std::size_t place = at_ + 1;
    if (value_at(place) == U'{' || value_at(place) == U'(') ++place;
    const bool is_negative = is_minus(value_at(place));
    const Run run = digits_at(is_negative ? end_of(place) : place);
    if (run.digits.empty()) return false;
    add_power({run.digits, is_negative}, run.end);
    return true;
  }

  static int power_of(const RaisedNumber& raised) {
    constexpr std::size_t kMostDigits = 3;  // more are no power that anybody writes out
    const int power = raised.digits.size() <= kMostDigits ? std::stoi(raised.digits) : 0;
    return raised.is_negative ? -power : power;
  }

  static bool is_minus(char32_t c) { return c == U'-' || c == 0x2212; }

  void add_power(RaisedNumber raised, std::size_t end) {
    // The dot of 1.6·10² is no decimal sign.
    if (gap_size_ == 0 && !out_.groups.empty()) {
      DigitGroup& base = out_.groups.back();
      if (base.sign == kMiddleDot) {
        base.joint = Joint::none;
        base.after_decimal_sign = false;
      }
      if (base.digits == "10") base.power_of_ten = power_of(raised);
    }
    out_.raised.push_back(std::move(raised));
    pass_to(end);
  }

  void read_circled(int value) {
    pass();
    DigitGroup group = {.digits = std::to_string(value)};
    group.power_of_unit = power_of_unit(text_.substr(at_));
    out_.groups.push_back(std::move(group));
  }

  void read_fraction(FractionSign fraction, std::size_t end) {
    const bool follows = gap_size_ == 0 || (gap_size_ == 1 && text::is_space(gap_));
    if (follows && !out_.groups.empty()) fraction.whole = out_.groups.size() - 1;
    fraction.power_of_unit = power_of_unit(text_.substr(end));
    out_.fractions.push_back(fraction);
    pass_to(end);
  }

  void pass_to(std::size_t end) {
    while (at_ < end) pass();
  }

  /// Goes on by one character, which is no digit of a group.
  void pass() {
    const char32_t c = value_at(at_);
    const std::size_t end = end_of(at_);
    ++gap_size_;
    gap_ = c;
    const bool letter = c < 0x80 ? ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') : text::is_letter(c);
    if (roman_digit(c) > 0 && (!in_word_ || !roman_.empty()))
      roman_ += static_cast<char>(c);
    else if (is_chinese_number(c))
      chinese_ += c;
    else {
      if (letter) roman_.clear();
      end_words();
    }
    if (const auto roman = text::roman_value_of(c)) out_.in_letters.push_back(whole_number(*roman));
    if (!in_word_ || !letter || gap_size_ == 1) word_.clear();
    if (letter) word_ += text_.substr(at_, end - at_);
    in_word_ = letter;
    at_ = end;
  }

  /// What was read of a number in letters ends.
  void end_words() {
    if (roman_.size() > 1)
      if (const int value = roman_value(roman_)) out_.in_letters.push_back(whole_number(value));
    if (chinese_.size() > 1)
      if (const auto value = chinese_value(chinese_))
        out_.in_letters.push_back(whole_number(*value));
    roman_.clear();
    chinese_.clear();
  }

  std::string_view text_;
  Digits out_;
  std::size_t at_ = 0;  // in bytes
  std::size_t end_of_group_ = 0;
  std::size_t gap_size_ = 2;  // characters since the last group
  char32_t gap_ = 0;          // the last one of them
  bool in_word_ = false;
  std::string word_, roman_;  // the letters before this place, and those of a Roman number
  std::u32string chinese_;
};

}  // namespace

Digits digits_of(std::string_view text) {
  return DigitReader(text).read();
}

bool is_dash(char32_t c) {
  return c == U'-' || (c >= 0x2010 && c <= 0x2014);
}

bool is_slash(char32_t c) {
  return c == U'/' || c == 0x2044 || c == 0x2215;
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
