// The digits of a text, and what stands between them.
#pragma once

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

/// Digits in a row, as ASCII.
struct DigitGroup {
  std::string digits;
  Joint joint = Joint::none;  // to the group before
  bool after_decimal_sign = false, after_power = false, after_colon = false;
  bool before_power = false;  // 10^4 and the like follow: 1100万
  bool is_month = false;      // 7月, which other languages write as a name
  int power_of_unit = 0;      // of ten, of the unit after the group
};

/// The digits of a text, of any script.
struct Digits {
  std::vector<DigitGroup> groups;
  std::vector<NumberReading> in_letters;  // Roman and Chinese numbers
};

Digits digits_of(std::string_view text);

/// Whether the digits may be a year of four digits.
bool is_year(const std::string& digits);

std::optional<int> hour_of(const std::string& digits);

/// Whether the digits may be the month of a date of three groups; the other text may have its name.
bool may_be_a_month(const std::string& digits);

/// Whether the groups may be a day and a month, in any order.
bool may_be_days_and_months(const std::string& one, const std::string& two);

/// Whether the groups are the same number, or one is the year whose end the other one is.
bool are_equal_parts(const std::string& one, const std::string& two);

}  // namespace heed::study
