#include "study/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "study/number_words.h"
#include "text/characters.h"
#include "text/digits.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::study {
namespace {

constexpr std::size_t kLongestNumber = 8;  // groups of digits
constexpr std::size_t kMostGroups = 1000;  // of a line; more are a table, or no text
constexpr std::size_t kSpelled = 2;        // digits; numbers of fewer or as many are often words
constexpr std::size_t kShortTelephone = 6, kLongTelephone = 5;  // digits: 03-1234, 89-12345
constexpr std::size_t kLongestDecimals = 2;  // digits that are in no group of thousands
constexpr int kZerosOfThousand = 3;  // zeros; words such as "million" stand for as many or more

/// The separator between two groups of digits.
enum class Joint {
  none,
  mark,   // a decimal sign or a sign that groups digits; dates and times of day have them, too
  blank,  // it may group digits or separate numbers
  loose,  // a dash, slash or colon: of a telephone number, date or time of day, or of a range
};

/// Digits in a row, as ASCII.
struct DigitGroup {
  std::string digits;
  Joint joint = Joint::none;  // to the group before
  bool after_decimal_sign = false, after_power = false, after_colon = false;
  bool before_power = false;  // 10^4 and the like follow: 1100万
  bool is_month = false;      // 7月, which other languages write as a name
  int power_of_unit = 0;      // of ten, of the unit after the group
};

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

/// A unit that is a power of ten of others: 1.80 m are 180 cm, 1.2 crore 12 million.
struct PowerOfTen {
  std::string_view name;
  int power;              // as against metres, percent and one
  bool is_whole = false;  // not the beginning of words, too
};

constexpr std::array<PowerOfTen, 22> kPowers = {
    {{"cm", -2, true}, {"centim", -2}, {"centím", -2}, {"zentim", -2},   {"Zentim", -2},
     {"см", -2, true}, {"сантим", -2}, {"سانت", -2},   {"厘米", -2},     {"センチ", -2},
     {"mm", -3, true}, {"millim", -3}, {"Millim", -3}, {"мм", -3, true}, {"毫米", -3},
     {"‰", -1},        {"lakh", 5},    {"लाख", 5},     {"লাখ", 5},       {"crore", 7},
     {"करोड़", 7},      {"কোটি", 7}}};

/// The power of the unit with which the text after a number begins; 0 where there is none.
int power_of_unit(std::string_view text) {
  for (const std::string_view blank : {" ", "\u00A0", "\u202F"})
    if (text.starts_with(blank)) text.remove_prefix(blank.size());
  for (const PowerOfTen& unit : kPowers) {
    if (!text.starts_with(unit.name)) continue;
    const std::string_view rest = text.substr(unit.name.size());
    const auto next = rest.empty() ? 0 : static_cast<unsigned char>(rest[0]);
    const bool goes_on = next >= 0x80 || ((next | 0x20) >= 'a' && (next | 0x20) <= 'z');
    if (!unit.is_whole || !goes_on) return unit.power;
  }
  return 0;
}

bool is_year(const std::string& digits) {
  return digits.size() == 4 && (digits[0] == '1' || digits[0] == '2');
}

std::optional<int> hour_of(const std::string& digits) {
  if (digits.size() > 2 || std::stoi(digits) > 24) return std::nullopt;
  return std::stoi(digits);
}

/// Whether the digits may be the month of a date of three groups; the other text may have its name.
bool may_be_a_month(const std::string& digits) {
  return digits.size() <= 2 && std::stoi(digits) <= 12;
}

/// Whether the groups may be a day and a month, in any order.
bool may_be_days_and_months(const std::string& one, const std::string& two) {
  constexpr int kDays = 31;
  return (may_be_a_month(one) && two.size() <= 2 && std::stoi(two) <= kDays) ||
         (may_be_a_month(two) && one.size() <= 2 && std::stoi(one) <= kDays);
}

std::string without_leading_zeros(const std::string& digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// Whether the groups are the same number, or one is the year whose end the other one is.
bool are_equal_parts(const std::string& one, const std::string& two) {
  return without_leading_zeros(one) == without_leading_zeros(two) ||
         (is_year(one) && one.substr(2) == two) || (is_year(two) && two.substr(2) == one);
}

bool may_group_digits(char32_t c) {
  return c == U'-' || c == U'/' || c == U':' || (c >= 0x2010 && c <= 0x2014);
}

/// A number without the zeros at both ends: all that is certain where the position of the decimal
/// sign is not known.
struct NumberReading {
  std::string digits;
  std::array<int, 2> exponents;  // of ten: as a whole number, and with its last group as decimals
  int power_of_unit = 0;
  bool any_exponent = false;
  bool is_part = false;  // of a longer number
};

NumberReading reading_of(const std::string& digits, std::size_t decimals, bool may_be_whole) {
  std::string most = without_leading_zeros(digits);
  const std::size_t end = most.find_last_not_of('0') + 1;
  const int zeros = static_cast<int>(most.size() - end);
  most.resize(end);
  const int with_decimals = zeros - static_cast<int>(decimals);
  return {.digits = most, .exponents = {may_be_whole ? zeros : with_decimals, with_decimals}};
}

NumberReading whole_number(int64_t value) {
  return reading_of(std::to_string(value), 0, true);
}

/// Whether numbers of the same digits have equally many zeros, by themselves or with their units.
bool are_equal(const NumberReading& a, const NumberReading& b) {
  for (const int ours : a.exponents)
    for (const int theirs : b.exponents)
      if (ours == theirs || ours + a.power_of_unit == theirs + b.power_of_unit) return true;
  return false;
}

/// Whether numbers of the same digits may be equal: 1.5 and 1,500,000 may ("1.5 million"), 10 and
/// 100 may not.
bool may_be_equal(const NumberReading& a, const NumberReading& b) {
  if (are_equal(a, b)) return true;
  if (a.is_part || b.is_part) return false;
  if (a.any_exponent || b.any_exponent) return true;
  for (const int ours : a.exponents)
    for (const int theirs : b.exponents)
      if (std::abs(ours + a.power_of_unit - theirs - b.power_of_unit) >= kZerosOfThousand)
        return true;
  return false;
}

/// The numbers that a reading may be.
std::array<double, 2> values_of(const NumberReading& number) {
  const double digits = number.digits.empty() ? 0 : std::stod(number.digits.substr(0, 15));
  return {digits * std::pow(10, number.exponents[0]), digits * std::pow(10, number.exponents[1])};
}

constexpr double kRounded = 0.08;  // by which a converted number may differ

bool is_about(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

// Units that translators convert.

/// What a number of a unit is in the units of the metric system.
struct Unit {
  const char* names;
  std::array<double, 3> factors;  // 0: there are no more
};

constexpr std::array<Unit, 9> kUnits = {{{"mph mile miles", {1.609}},
                                         {"inch inches", {2.54, 25.4, 0.0254}},
                                         {"foot feet ft", {0.3048, 30.48}},
                                         {"yard yards", {0.9144}},
                                         {"pound pounds lb lbs", {0.4536}},
                                         {"stone", {6.35}},
                                         {"acre acres", {0.4047, 4047, 0.004047}},
                                         {"gallon gallons", {3.785, 4.546}},
                                         {"ounce ounces oz", {28.35, 29.57}}}};
constexpr const char* kDegrees = "degree degrees fahrenheit";

/// The words of ASCII letters, in lower case.
text::WordSet ascii_words(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const char small = static_cast<char>(c | 0x20);
    words += small >= 'a' && small <= 'z' ? small : ' ';
  }
  return text::word_set(words);
}

/// The units of the imperial system that English names, which translators convert.
class ImperialUnits {
 public:
  explicit ImperialUnits(std::string_view text) {
    const text::WordSet words = ascii_words(text);
    const auto names = [&](const char* all) {
      return std::ranges::any_of(text::word_set(all),
                                 [&](const std::string& one) { return words.contains(one); });
    };
    for (const Unit& unit : kUnits)
      if (names(unit.names))
        for (const double factor : unit.factors)
          if (factor > 0) factors_.push_back(factor);
    has_feet_ = words.contains("foot") || words.contains("feet");
    has_degrees_ = names(kDegrees) || text.find("\u00B0F") != text.npos;
  }

  bool none() const { return factors_.empty() && !has_degrees_; }
  bool has_feet() const { return has_feet_; }

  /// Returns what a number may be in other units.
  std::vector<double> conversions_of(double number) const {
    constexpr double kDegree = 1.8, kZero = 32;
    std::vector<double> out;
    for (const double factor : factors_) out.push_back(number * factor);
    if (has_degrees_) {
      out.push_back((number - kZero) / kDegree);
      out.push_back(number / kDegree);
    }
    return out;
  }

 private:
  std::vector<double> factors_;
  bool has_feet_ = false, has_degrees_ = false;
};

// Numbers that are written in letters: Roman ones, and Chinese ones.

int roman_digit(char32_t c) {
  static constexpr std::u32string_view kLetters = U"IVXLCDM";
  static constexpr std::array<int, 7> kValues = {1, 5, 10, 50, 100, 500, 1000};
  const std::size_t index = kLetters.find(c);
  return index == kLetters.npos ? 0 : kValues[index];
}

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

/// Returns the value of a Roman number; 0 where the word is none.
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

/// Returns the value of a number of Chinese digits (〇一二三四五六七八九), written as in decimal
/// notation or with powers of ten after them (十百千 and 万億).
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

bool is_chinese_number(char32_t c) {
  static const std::u32string kLetters = U"〇一二三四五六七八九十百千万萬億亿";
  return c >= 0x3007 && kLetters.find(c) != std::u32string::npos;
}

/// The numbers of one side.
class NumbersOfText {
 public:
  explicit NumbersOfText(std::string_view text) {
    read(text);
    if (too_many()) return;
    for (const DigitGroup& group : groups_) {
      if (is_year(group.digits)) endings_of_years_.insert(group.digits.substr(2));
      if (const auto hour = hour_of(group.digits)) hours_.insert(*hour);
    }
    for (std::size_t first = 0; first < groups_.size(); ++first)
      for (std::size_t last = first; last < groups_.size() && are_joined(first, last); ++last)
        if (may_be_one(first, last) && !(first == last && is_fraction(first)))
          add(reading(first, last));
  }

  /// Whether a number differs from `value` by no more than this share.
  bool has_about(double value, double share) const {
    return std::ranges::any_of(readings_, [&](const auto& one) {
      return std::ranges::any_of(values_of(one.second),
                                 [&](double other) { return is_about(other, value, share); });
    });
  }

  bool none() const { return groups_.empty(); }
  bool too_many() const { return groups_.size() > kMostGroups; }

  /// Returns the numbers other than zero that `other` does not have, however they are read.
  std::vector<NumberReading> missing_in(const NumbersOfText& other) const {
    std::vector<NumberReading> out;
    for (std::size_t first = 0, last = 0; first < groups_.size(); first = last + 1) {
      last = first;
      while (last + 1 < groups_.size() && is_grouped(last + 1)) ++last;
      std::string digits;
      for (std::size_t i = first; i <= last; ++i) digits += groups_[i].digits;
      const std::string value = without_leading_zeros(digits);
      const bool is_month = groups_[last].is_month && may_be_a_month(groups_[last].digits);
      if (value.empty() || is_month || other.has_any(*this, first, last)) continue;
      out.push_back(reading(first, last));
    }
    return out;
  }

 private:
  void read(std::string_view text) {
    std::string roman;
    std::u32string chinese;
    char32_t gap = 0;  // the only character since the last group
    std::size_t gap_size = 2;
    bool in_digits = false, in_word = false;
    const auto end_words = [&] {
      if (roman.size() > 1)
        if (const int value = roman_value(roman)) add(whole_number(value));
      if (chinese.size() > 1)
        if (const auto value = chinese_value(chinese)) add(whole_number(*value));
      roman.clear();
      chinese.clear();
    };
    text::each_code_point(text, [&](const text::CodePoint& point, std::string_view bytes) {
      const char32_t c = point.value;
      if (const auto digit = text::digit_value(c)) {
        if (!in_digits) begin_group(gap_size == 1 ? gap : 0);
        groups_.back().digits += static_cast<char>('0' + *digit);
        in_digits = true;
        end_words();
        return;
      }
      const bool follows_digits = in_digits || (gap_size == 1 && text::is_space(gap));
      if (follows_digits && !groups_.empty()) {  // a blank may stand before the sign
        groups_.back().before_power = is_power_of_a_myriad(c);
        groups_.back().is_month = follows_month(c);
      }
      if (in_digits)
        groups_.back().power_of_unit =
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
  }

  /// Begins a group of digits. `gap` is the character between it and the group before; 0 where
  /// there are none or several.
  void begin_group(char32_t gap) {
    const bool decimal = is_decimal_sign(gap);
    const bool power = is_power_of_a_myriad(gap);
    const Joint joint = gap == 0 || groups_.empty()              ? Joint::none
                        : decimal || power || groups_digits(gap) ? Joint::mark
                        : text::is_space(gap)                    ? Joint::blank
                        : may_group_digits(gap)                  ? Joint::loose
                                                                 : Joint::none;
    groups_.push_back({.digits = "",
                       .joint = joint,
                       .after_decimal_sign = decimal,
                       .after_power = power,
                       .after_colon = gap == U':'});
  }

  /// Whether the group belongs to a number with the one before it.
  bool is_grouped(std::size_t i) const {
    const DigitGroup& group = groups_[i];
    return group.joint == Joint::mark || (group.joint == Joint::blank && group.digits.size() == 3 &&
                                          groups_[i - 1].digits.size() <= 3);
  }

  bool are_joined(std::size_t first, std::size_t last) const {
    return last - first < kLongestNumber &&
           !any_after(first, last, [](const DigitGroup& one) { return one.joint == Joint::none; });
  }

  /// Whether the groups may be one number. Dashes and the like join the three or more groups of a
  /// telephone number or date, and two that are no range.
  bool may_be_one(std::size_t first, std::size_t last) const {
    if (!are_joined(first, last)) return false;
    std::size_t loose = 0, at = 0;
    for (std::size_t i = first + 1; i <= last; ++i)
      if (groups_[i].joint == Joint::loose) ++loose, at = i;
    return loose == 0 || is_time(first, last) || (loose == 1 && is_telephone(first, at, last)) ||
           (loose > 1 && count_digits(first, last) >= kShortTelephone);
  }

  std::size_t count_digits(std::size_t first, std::size_t last) const {
    std::size_t count = 0;
    for (std::size_t i = first; i <= last; ++i) count += groups_[i].digits.size();
    return count;
  }

  /// Whether the groups may be a time of day, which some write without its colons.
  bool is_time(std::size_t first, std::size_t last) const {
    return hour_of(groups_[first].digits) && !any_after(first, last, [](const DigitGroup& one) {
             return !one.after_colon || one.digits.size() != 2 || one.digits[0] > '5';
           });
  }

  /// Whether the only dash or slash, before the group `at`, may stand in a telephone number
  /// (0800/6888000, 89-12345, 555-1234) and not between the ends of a range (10-15, 500-1000).
  bool is_telephone(std::size_t first, std::size_t at, std::size_t last) const {
    if (groups_[first].digits[0] == '0' && count_digits(first, last) >= kShortTelephone)
      return true;
    const std::string &area = groups_[at - 1].digits, &number = groups_[at].digits;
    if (number.size() >= kLongTelephone) return area.size() + 1 < number.size();
    return area.size() == 3 && number.size() == 4 && number.back() != '0';
  }

  NumberReading reading(std::size_t first, std::size_t last) const {
    std::string digits;
    bool powers = false;
    for (std::size_t i = first; i <= last; ++i) {
      digits += groups_[i].digits;
      powers = powers || (i > first && groups_[i].after_power);
    }
    powers = powers || groups_[last].before_power;
    NumberReading out = reading_of(digits, decimals(first, last), !is_decimal(first, last));
    out.any_exponent = powers;
    out.power_of_unit = groups_[last].power_of_unit;
    // The 1 of 1:10 stands for no thousand.
    out.is_part = is_grouped(first) || (last + 1 < groups_.size() &&
                                        (is_grouped(last + 1) || groups_[last + 1].after_colon));
    return out;
  }

  /// Returns how many of these groups' digits may stand after the decimal sign. If they are three,
  /// as in 30.000, none: as a whole number it is still equal to 30, and no longer to 300,000.
  std::size_t decimals(std::size_t first, std::size_t last) const {
    const DigitGroup& end = groups_[last];
    if (first == last || !end.after_decimal_sign) return 0;
    if (last > first + 1 && !is_decimal(first, last)) return 0;  // 2.4.1 is not 2.4.10
    return end.digits.size() == kZerosOfThousand && !is_fraction(last) ? 0 : end.digits.size();
  }

  /// Whether a decimal sign and no digits but zeros are before the group: 0.5.
  bool is_fraction(std::size_t i) const {
    return groups_[i].after_decimal_sign && without_leading_zeros(groups_[i - 1].digits).empty();
  }

  /// Whether the last sign between the groups certainly is a decimal sign: one or two last digits
  /// are no group. Telephone numbers, dates and versions have several groups of few digits.
  bool is_decimal(std::size_t first, std::size_t last) const {
    if (first == last || !groups_[last].after_decimal_sign) return false;
    if (is_fraction(last) && last == first + 1) return true;
    return groups_[last].digits.size() <= kLongestDecimals &&
           (last == first + 1 || groups_[last - 1].digits.size() == kZerosOfThousand);
  }

  void add(const NumberReading& one) { readings_.emplace(one.digits, one); }

  bool has(const NumberReading& number,
           bool (*equal)(const NumberReading&, const NumberReading&)) const {
    const auto [begin, end] = readings_.equal_range(number.digits);
    return std::any_of(begin, end, [&](const auto& one) { return equal(one.second, number); });
  }

  /// Whether these groups of `theirs`, with those around them, are here, or each of them is: a word
  /// for zeros stands after all of them.
  bool has_any(const NumbersOfText& theirs, std::size_t first, std::size_t last) const {
    const std::size_t most = theirs.groups_.size();
    for (std::size_t begin = first - std::min(first, kLongestNumber); begin <= first; ++begin)
      for (std::size_t end = last; end < most && end - begin < kLongestNumber; ++end)
        if (theirs.may_be_one(begin, end) && has(theirs.reading(begin, end), may_be_equal))
          return true;
    const bool is_date = theirs.is_date(first, last);
    const bool is_decimal = last == first + 1 && theirs.groups_[last].after_decimal_sign;
    if (theirs.has_blank(first, last) && !has_as_many(theirs, first, last)) return false;
    if (has_nearly(theirs, first, last)) return false;
    bool some = false, some_hour = false;
    for (std::size_t i = first; i <= last; ++i) {
      const std::string& digits = theirs.groups_[i].digits;
      if (first < last && digits == "000") return false;
      const bool is_full_hour = some && last == first + 1 && digits == "00";
      const bool is_there =
          is_decimal && !some_hour ? has_free(digits) : has(theirs.reading(i, i), are_equal);
      const bool is_hour = has_hour(digits);
      if (is_there || has_year(theirs, digits) || is_hour || is_full_hour) {
        some = true;
        some_hour = some_hour || (is_hour && i == first);
      } else if (!(is_date && may_be_a_month(digits)) &&
                 !(theirs.has_blank(first, last) && digits.size() == 1))
        return false;
    }
    return some;
  }

  /// Whether the groups may be a date: day and month, with the year before or after them.
  bool is_date(std::size_t first, std::size_t last) const {
    if (last != first + 2) return false;
    const std::string &one = groups_[first].digits, &two = groups_[first + 1].digits,
                      &three = groups_[last].digits;
    if (is_year(one)) return may_be_days_and_months(two, three);
    return (is_year(three) || three.size() == 2) && may_be_days_and_months(one, two);
  }

  /// Whether a number of three or more groups is here that is like these groups of `theirs` but for
  /// one of them or their order, and that `theirs` lacks: versions, sections, addresses.
  bool has_nearly(const NumbersOfText& theirs, std::size_t first, std::size_t last) const {
    const std::size_t count = last - first + 1;
    if (count < 3) return false;
    const auto end_of_grouped = [&](std::size_t i) {
      while (i + 1 < groups_.size() && is_grouped(i + 1)) ++i;
      return i;
    };
    for (std::size_t begin = 0, end = 0; begin < groups_.size(); begin = end + 1) {
      end = end_of_grouped(begin);
      if (end - begin + 1 != count || theirs.has(reading(begin, end), may_be_equal)) continue;
      const std::size_t common = count_common(begin, theirs, first, count);
      if (common + 1 == count || (common == count && !theirs.is_date(first, last))) return true;
    }
    return false;
  }

  /// Returns how many of `count` groups from `begin` are among as many of `theirs` from `first`.
  std::size_t count_common(std::size_t begin, const NumbersOfText& theirs, std::size_t first,
                           std::size_t count) const {
    std::vector<bool> used(count);
    std::size_t common = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < count; ++k) {
        if (used[k] ||
            !are_equal_parts(groups_[begin + i].digits, theirs.groups_[first + k].digits))
          continue;
        used[k] = true;
        ++common;
        break;
      }
    return common;
  }

  /// Whether what stands several times among these groups of `theirs` does so here: 100 100 100 may
  /// be three numbers, of which 100 is only one.
  bool has_as_many(const NumbersOfText& theirs, std::size_t first, std::size_t last) const {
    std::map<std::string, std::ptrdiff_t> counts;
    for (std::size_t i = first; i <= last; ++i) ++counts[theirs.groups_[i].digits];
    return std::ranges::all_of(counts, [&](const auto& one) {
      return one.second == 1 ||
             std::ranges::count(groups_, one.first, &DigitGroup::digits) >= one.second;
    });
  }

  /// Whether these digits stand by themselves: a half of 2,8 is no half of 8,2.
  bool has_free(const std::string& digits) const {
    const std::string value = without_leading_zeros(digits);
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (without_leading_zeros(groups_[i].digits) == value && !is_grouped(i) &&
          !(i + 1 < groups_.size() && is_grouped(i + 1)))
        return true;
    return false;
  }

  /// Whether `is` holds for a group after the first.
  template <class Is>
  bool any_after(std::size_t first, std::size_t last, const Is& is) const {
    return std::any_of(groups_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                       groups_.begin() + static_cast<std::ptrdiff_t>(last) + 1, is);
  }

  bool has_blank(std::size_t first, std::size_t last) const {
    return any_after(first, last, [](const DigitGroup& one) { return one.joint == Joint::blank; });
  }

  /// Whether a year of `theirs` is there in its other form: 1985 as '85, or '85 as 1985. The end of
  /// 20-25 is no form of 2025, unless the beginning is a year, too.
  bool has_year(const NumbersOfText& theirs, const std::string& digits) const {
    if (!is_year(digits)) return endings_of_years_.contains(digits);
    const std::string century = digits.substr(0, 2), ending = digits.substr(2);
    const bool may_begin_range = theirs.endings_of_years_.contains(century);
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].digits == ending &&
          (may_begin_range || groups_[i].joint != Joint::loose || groups_[i - 1].digits != century))
        return true;
    return false;
  }

  /// Whether an hour is there in its other form: 17 as 5 in the afternoon, or the reverse.
  bool has_hour(const std::string& digits) const {
    constexpr int kHalfADay = 12;
    const auto hour = hour_of(digits);
    return hour && (hours_.contains(*hour + kHalfADay) || hours_.contains(*hour - kHalfADay));
  }

  std::vector<DigitGroup> groups_;
  std::set<std::string> endings_of_years_;
  std::set<int> hours_;
  std::multimap<std::string, NumberReading> readings_;
};

/// Whether the number is often written in words: up to a hundred, or as many thousands or millions.
bool is_often_in_words(const NumberReading& number) {
  return number.digits.size() <= 1 ||
         (number.digits.size() <= kSpelled && std::ranges::any_of(number.exponents, [](int zeros) {
            return zeros <= 0 || zeros >= kZerosOfThousand;
          }));
}

using Missing = std::vector<NumberReading>;

bool may_be(const NumberReading& number, double value) {
  return std::ranges::any_of(values_of(number),
                             [&](double one) { return is_about(one, value, kRounded); });
}

/// Leaves out what is missing on both sides because a unit was converted: 385 miles and 620 km, or
/// 6 foot 6 and 1.98 m. `from` has the numbers of the imperial units.
void drop_converted(Missing& from, Missing& to, const ImperialUnits& units) {
  std::vector<bool> found(to.size());
  const auto find = [&](double value) {
    bool any = false;
    for (std::size_t i = 0; i < to.size(); ++i)
      if (may_be(to[i], value)) found[i] = any = true;
    return any;
  };
  if (units.has_feet())
    for (std::size_t i = 0; i + 1 < from.size(); ++i) {
      constexpr double kFoot = 0.3048, kInch = 0.0254, kCentimetres = 100;
      const double metres =
          kFoot * values_of(from[i]).front() + kInch * values_of(from[i + 1]).front();
      if (!find(metres) && !find(kCentimetres * metres)) continue;
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(i),
                 from.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    }
  std::erase_if(from, [&](const NumberReading& number) {
    bool any = false;
    for (const double value : values_of(number))
      for (const double converted : units.conversions_of(value)) any = find(converted) || any;
    return any;
  });
  std::size_t i = 0;
  std::erase_if(to, [&](const NumberReading&) { return found[i++]; });
}

/// Whether the other text has the number in another unit that both texts have, as in
/// "45 miles (72 km)", or in words.
bool is_converted(const NumberReading& number, const ImperialUnits& units,
                  const NumbersOfText& other, const NumberWords& words) {
  constexpr double kExact = 0.02;
  for (const double value : values_of(number))
    for (const double converted : units.conversions_of(value)) {
      const double whole = std::round(converted);
      if (other.has_about(converted, kExact)) return true;
      if (whole >= 2 && whole < 100 && is_about(whole, converted, kExact) &&
          words.may_spell(std::to_string(static_cast<int64_t>(whole)), 0))
        return true;
    }
  return false;
}

}  // namespace

bool differ_in_numbers(std::string_view source, std::string_view target) {
  const NumbersOfText ours(source), theirs(target);
  if ((ours.none() && theirs.none()) || ours.too_many() || theirs.too_many()) return false;
  std::vector<NumberReading> here = ours.missing_in(theirs), there = theirs.missing_in(ours);
  if (here.empty() && there.empty()) return false;
  const ImperialUnits units_here(source), units_there(target);
  if (!units_here.none()) drop_converted(here, there, units_here);
  if (!units_there.none()) drop_converted(there, here, units_there);
  if (!here.empty() && !there.empty()) return true;
  const NumberWords words(target);
  const auto is_lost = [&](const NumberReading& one) {
    // One is an article in many languages.
    const bool is_one = one.digits == "1" && one.exponents[0] == 0;
    const bool is_in_words = words.may_spell(one.digits, one.exponents[0]) ||
                             words.may_spell(one.digits, one.exponents[1]) ||
                             (one.any_exponent && words.may_spell(one.digits, kZerosOfThousand));
    return !is_one && !is_in_words && !is_converted(one, units_here, theirs, words);
  };
  const auto is_odd = [](const NumberReading& one) { return !is_often_in_words(one); };
  return std::ranges::any_of(here, is_lost) || std::ranges::any_of(there, is_odd);
}

}  // namespace heed::study
