// The digits of a text, and what stands between them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/number_reading.h"

namespace heed::study {

/// The separator between two groups of digits.
enum class Joint {
  none,
  mark,   // a decimal sign or a sign that groups digits; dates and times of day have them, too
  blank,  // it may group digits or separate numbers
  loose,  // a dash, slash or colon: of a telephone number, date or time of day, or of a range
};

/// Digits in a row, as ASCII; or a number that is one character, such as one in a circle.
struct DigitGroup {
  std::string digits;
  Joint joint = Joint::none;  // to the group before
  char32_t sign = 0;          // between the two, where it is all that is
  bool after_decimal_sign = false, after_power = false;
  bool after_letter = false;                       // the 2 of CO2
  bool before_power = false;                       // 10^4 and the like follow: 1100万
  bool multiplies = false;                         // the group before: 10 in 5×10⁶
  std::optional<int> power_of_ten = std::nullopt;  // 6 in 10⁶
  bool is_month = false;                           // 7月, which other languages write as a name
  int power_of_unit = 0;                           // of ten, of the unit after the group
};

/// A number beside the line: the 23 of 10²³, of 10^23 and of 1e23, the 2 of CO₂, of m² and of m2.
struct RaisedNumber {
  std::string digits;
  bool is_negative = false;
  bool operator==(const RaisedNumber&) const = default;
};

/// A fraction that is one character, or digits above and below a slash.
struct FractionSign {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  int numerator = 0, denominator = 1;
  std::size_t whole = kNone;  // the group before it, 2 in 2¾
  int power_of_unit = 0;
};

/// The digits of a text, of any script.
struct Digits {
  std::vector<DigitGroup> groups;
  std::vector<RaisedNumber> raised;
  std::vector<FractionSign> fractions;
  std::vector<NumberReading> in_letters;  // Roman and Chinese numbers
};

Digits digits_of(std::string_view text);

/// Whether the digits may be a year of four digits.
bool is_year(const std::string& digits);

std::optional<int> hour_of(const std::string& digits);

/// Whether the digits may be the month of a date; the other text may have its name.
bool may_be_a_month(const std::string& digits);

/// Whether the groups may be a day and a month, in any order.
bool may_be_days_and_months(const std::string& one, const std::string& two);

/// Whether the sign is a hyphen or a dash.
bool is_dash(char32_t c);

/// Whether the sign may be the line of a fraction.
bool is_slash(char32_t c);

/// Whether the groups are the same number, or one is the year whose end the other one is.
bool are_equal_parts(const std::string& one, const std::string& two);

}  // namespace heed::study
