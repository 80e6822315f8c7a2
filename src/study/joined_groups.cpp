#include "study/joined_groups.h"

#include <string>

namespace heed::study {
namespace {

constexpr std::size_t kShortTelephone = 6, kLongTelephone = 5;  // digits: 03-1234, 89-12345
constexpr std::size_t kLongestDecimals = 2;  // digits that are in no group of thousands
constexpr std::size_t kLongestPart = 2;      // digits of a numerator or denominator
constexpr std::size_t kLongestMixed = 3;     // digits of a whole number before 3/4
constexpr std::size_t kLongestWhole = 9;     // digits of one before a fraction of one character

}  // namespace

bool JoinedGroups::is_grouped(std::size_t i) const {
  const DigitGroup& group = groups_[i];
  return group.joint == Joint::mark || (group.joint == Joint::blank && group.digits.size() == 3 &&
                                        groups_[i - 1].digits.size() <= 3);
}

std::size_t JoinedGroups::end_of_grouped(std::size_t first) const {
  while (first + 1 < groups_.size() && is_grouped(first + 1)) ++first;
  return first;
}

bool JoinedGroups::are_joined(std::size_t first, std::size_t last) const {
  return last - first < kLongestNumber &&
         !any_after(first, last, [](const DigitGroup& one) { return one.joint == Joint::none; });
}

bool JoinedGroups::may_be_one(std::size_t first, std::size_t last) const {
  if (!are_joined(first, last)) return false;
  std::size_t loose = 0, at = 0;
  for (std::size_t i = first + 1; i <= last; ++i)
    if (groups_[i].joint == Joint::loose) ++loose, at = i;
  return loose == 0 || is_time(first, last) || (loose == 1 && is_telephone(first, at, last)) ||
         (loose > 1 && count_digits(first, last) >= kShortTelephone);
}

std::size_t JoinedGroups::count_digits(std::size_t first, std::size_t last) const {
  std::size_t count = 0;
  for (std::size_t i = first; i <= last; ++i) count += groups_[i].digits.size();
  return count;
}

/// Whether the groups may be a time of day, which some write without its colons.
bool JoinedGroups::is_time(std::size_t first, std::size_t last) const {
  return hour_of(groups_[first].digits) && !any_after(first, last, [](const DigitGroup& one) {
           return one.sign != U':' || one.digits.size() != 2 || one.digits[0] > '5';
         });
}

/// Whether the only dash or slash, before the group `at`, may stand in a telephone number
/// (0800/6888000, 89-12345, 555-1234) and not between the ends of a range (10-15, 500-1000).
bool JoinedGroups::is_telephone(std::size_t first, std::size_t at, std::size_t last) const {
  if (groups_[first].digits[0] == '0' && count_digits(first, last) >= kShortTelephone) return true;
  const std::string &area = groups_[at - 1].digits, &number = groups_[at].digits;
  if (number.size() >= kLongTelephone) return area.size() + 1 < number.size();
  return area.size() == 3 && number.size() == 4 && number.back() != '0';
}

NumberReading JoinedGroups::reading(std::size_t first, std::size_t last) const {
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
                                      (is_grouped(last + 1) || groups_[last + 1].sign == U':'));
  return out;
}

/// Returns how many of these groups' digits may stand after the decimal sign. If they are three,
/// as in 30.000, none: as a whole number it is still equal to 30, and no longer to 300,000.
std::size_t JoinedGroups::decimals(std::size_t first, std::size_t last) const {
  const DigitGroup& end = groups_[last];
  if (first == last || !end.after_decimal_sign) return 0;
  if (last > first + 1 && !is_decimal(first, last)) return 0;  // 2.4.1 is not 2.4.10
  return end.digits.size() == kZerosOfThousand && !is_fraction(last) ? 0 : end.digits.size();
}

bool JoinedGroups::is_fraction(std::size_t i) const {
  return groups_[i].after_decimal_sign && without_leading_zeros(groups_[i - 1].digits).empty();
}

/// Whether the last sign between the groups certainly is a decimal sign: one or two last digits
/// are no group. Telephone numbers, dates and versions have several groups of few digits.
bool JoinedGroups::is_decimal(std::size_t first, std::size_t last) const {
  if (first == last || !groups_[last].after_decimal_sign) return false;
  if (is_fraction(last) && last == first + 1) return true;
  return groups_[last].digits.size() <= kLongestDecimals &&
         (last == first + 1 || groups_[last - 1].digits.size() == kZerosOfThousand);
}

bool JoinedGroups::is_date(std::size_t first, std::size_t last) const {
  if (last != first + 2) return false;
  const std::string &one = groups_[first].digits, &two = groups_[first + 1].digits,
                    &three = groups_[last].digits;
  if (is_year(one)) return may_be_days_and_months(two, three);
  return (is_year(three) || three.size() == 2) && may_be_days_and_months(one, two);
}

bool JoinedGroups::has_blank(std::size_t first, std::size_t last) const {
  return any_after(first, last, [](const DigitGroup& one) { return one.joint == Joint::blank; });
}

std::optional<int64_t> JoinedGroups::whole_until(std::size_t last) const {
  std::size_t first = last;
  while (first > 0 && is_grouped(first)) --first;
  std::string digits;
  for (std::size_t i = first; i <= last && digits.size() <= kLongestWhole; ++i)
    digits += groups_[i].digits;
  if (digits.size() > kLongestWhole) return std::nullopt;
  return std::stoll(digits);
}

std::optional<ScaledNumber> JoinedGroups::scaled_from(std::size_t first, std::size_t last) const {
  const bool is_alone = first == last && groups_[first].power_of_ten;
  const std::size_t power = is_alone ? first : last + 1;
  if (power >= groups_.size() || !groups_[power].power_of_ten ||
      (!is_alone && !groups_[power].multiplies))
    return std::nullopt;
  NumberReading value = is_alone ? whole_number(1) : reading(first, last);
  for (int& exponent : value.exponents) exponent += *groups_[power].power_of_ten;
  value.is_part = value.any_exponent = false;
  return ScaledNumber{power, std::move(value)};
}

std::optional<PlainFraction> JoinedGroups::fraction_from(std::size_t first) const {
  const auto value_of = [&](std::size_t i) { return std::stoll(groups_[i].digits); };
  if (is_mixed_fraction(first))
    return PlainFraction{first + 2,
                         fraction_of(value_of(first), value_of(first + 1), value_of(first + 2))};
  if (!is_simple_fraction(first) || (first > 0 && is_mixed_fraction(first - 1)))
    return std::nullopt;
  return PlainFraction{first + 1, fraction_of(0, value_of(first), value_of(first + 1))};
}

/// Whether a whole number, a blank and a fraction below one begin here. A year is none of them: in
/// 2021 3/4 of all.
bool JoinedGroups::is_mixed_fraction(std::size_t first) const {
  const std::size_t over = first + 1;
  return over < groups_.size() && groups_[over].joint == Joint::blank && !is_grouped(first) &&
         groups_[first].digits.size() <= kLongestMixed && is_simple_fraction(over) &&
         std::stoi(groups_[over].digits) < std::stoi(groups_[over + 1].digits);
}

/// Whether two groups with a slash between them and none around them begin here.
bool JoinedGroups::is_simple_fraction(std::size_t first) const {
  const std::size_t last = first + 1;
  if (last >= groups_.size() || !is_slash(groups_[last].sign)) return false;
  const auto is_loose = [&](std::size_t i) {
    return i < groups_.size() && groups_[i].joint == Joint::loose;
  };
  const std::string &over = groups_[first].digits, &under = groups_[last].digits;
  return !is_grouped(first) && !is_loose(first) && !is_loose(last + 1) &&
         !(last + 1 < groups_.size() && is_grouped(last + 1)) && over.size() <= kLongestPart &&
         under.size() <= kLongestPart && !without_leading_zeros(over).empty() && under[0] != '0';
}

bool JoinedGroups::is_denominator(std::size_t i) const {
  return i > 0 && is_simple_fraction(i - 1);
}

std::optional<int64_t> JoinedGroups::whole_end_of_range(std::size_t i) const {
  if (i == 0 || !is_dash(groups_[i].sign)) return std::nullopt;
  const std::string &begin = groups_[i - 1].digits, &end = groups_[i].digits;
  const bool is_longer = groups_[i - 1].joint == Joint::loose || is_grouped(i - 1) ||
                         (i + 1 < groups_.size() && (groups_[i + 1].joint == Joint::loose ||
                                                     groups_[i + 1].joint == Joint::mark));
  if (is_longer || end.size() >= begin.size() || begin.size() > kLongestWhole) return std::nullopt;
  const int64_t whole = std::stoll(begin.substr(0, begin.size() - end.size()) + end);
  return whole > std::stoll(begin) ? std::optional(whole) : std::nullopt;
}

bool JoinedGroups::may_follow_in_date(std::size_t i) const {
  if (i == 0 || i >= groups_.size()) return false;
  if (is_slash(groups_[i].sign)) return true;
  if (!is_dash(groups_[i].sign)) return false;
  return (i > 1 && is_dash(groups_[i - 1].sign) && is_year(groups_[i - 2].digits)) ||
         (i + 1 < groups_.size() && is_dash(groups_[i + 1].sign) && is_year(groups_[i + 1].digits));
}

}  // namespace heed::study
