#include "study/numbers_of_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace heed::study {
namespace {

constexpr std::size_t kMostGroups = 1000;  // of a line; more are a table, or no text

constexpr double kPercent = 100;

/// By which share of it a decimal may differ from the fraction: 33 % from a third.
double share_of_rounding(const NumberReading& fraction) {
  constexpr double kOfDecimals = 0.02, kOfNone = 1e-9;
  return fraction.divisor == 1 ? kOfNone : kOfDecimals;
}

bool has_equal(const std::vector<NumberReading>& all, const NumberReading& number) {
  return std::ranges::any_of(all, [&](const NumberReading& one) {
    return one.digits == number.digits && are_equal(one, number);
  });
}

}  // namespace

NumbersOfText::NumbersOfText(std::string_view text) : NumbersOfText(text, digits_of(text)) {}

NumbersOfText::NumbersOfText(std::string_view text, Digits digits)
    : text_(text), groups_(std::move(digits.groups)), raised_(std::move(digits.raised)) {
  const auto add = [&](const NumberReading& one) { readings_.emplace(one.digits, one); };
  for (const NumberReading& one : digits.in_letters) add(one);
  for (const FractionSign& sign : digits.fractions) {
    const auto whole = sign.whole == FractionSign::kNone ? std::optional<int64_t>(0)
                                                         : groups_.whole_until(sign.whole);
    if (!whole) continue;
    fractions_.push_back(fraction_of(*whole, sign.numerator, sign.denominator));
    fractions_.back().power_of_unit = sign.power_of_unit;
    add(fractions_.back());
    parts_.push_back(fraction_of(0, sign.numerator, sign.denominator));
  }
  if (too_many()) return;
  for (const DigitGroup& group : groups_.all()) {
    if (is_year(group.digits)) endings_of_years_.insert(group.digits.substr(2));
    if (const auto hour = hour_of(group.digits)) hours_.insert(*hour);
  }
  std::size_t end_of_scaled = 0;  // 5 and 10 of 5×10⁶ are before this group
  for (std::size_t first = 0; first < groups_.size(); ++first) {
    if (const auto scaled = groups_.scaled_from(first, groups_.end_of_grouped(first));
        scaled && first >= end_of_scaled) {
      scaled_.push_back(scaled->value);
      end_of_scaled = scaled->last + 1;
    }
    for (std::size_t last = first; last < groups_.size() && groups_.are_joined(first, last); ++last)
      if (groups_.may_be_one(first, last) && !(first == last && groups_.is_fraction(first))) {
        NumberReading one = groups_.reading(first, last);
        one.is_part = one.is_part || first < end_of_scaled;
        add(one);
      }
    if (const auto fraction = groups_.fraction_from(first))
      plain_fractions_.push_back(fraction->value);
    if (const auto end = groups_.whole_end_of_range(first)) add(whole_number(*end));
  }
}

bool NumbersOfText::has_about(double value, double share) const {
  return std::ranges::any_of(readings_, [&](const auto& one) {
    return std::ranges::any_of(values_of(one.second),
                               [&](double other) { return is_about(other, value, share); });
  });
}

bool NumbersOfText::too_many() const {
  return groups_.size() + raised_.size() + fractions_.size() > kMostGroups;
}

std::vector<NumberReading> NumbersOfText::missing_in(const NumbersOfText& other) const {
  std::vector<NumberReading> out;
  for (std::size_t first = 0, last = 0; first < groups_.size(); first = last + 1) {
    const auto fraction = groups_.fraction_from(first);
    if (fraction &&
        (other.has_fraction(fraction->value) || has_equal(other.parts_, fraction->value))) {
      last = fraction->last;
      continue;
    }
    last = groups_.end_of_grouped(first);
    if (const auto scaled = groups_.scaled_from(first, last)) {
      const bool is_there =
          other.has(scaled->value, are_equal_with_words) || other.has_scaled(scaled->value) ||
          (other.has_any(*this, first, last) &&
           (last == scaled->last || other.has_any(*this, scaled->last, scaled->last)));
      last = scaled->last;
      if (!is_there && !scaled->value.digits.empty()) out.push_back(scaled->value);
      continue;
    }
    std::string digits;
    for (std::size_t i = first; i <= last; ++i) digits += groups_[i].digits;
    const std::string value = without_leading_zeros(digits);
    const bool is_month = groups_[last].is_month && may_be_a_month(groups_[last].digits);
    if (value.empty() || is_month || other.has_any(*this, first, last) ||
        other.has_scaled(groups_.reading(first, last)))
      continue;
    out.push_back(groups_.reading(first, last));
    out.back().after_letter = groups_[first].after_letter;
    if (first == last && groups_.is_denominator(first))
      out.back().denominator = std::stoi(groups_[first].digits);
  }
  for (std::size_t i = 0; i < fractions_.size(); ++i)
    if (!other.has(fractions_[i], may_be_equal) && !other.has_fraction(fractions_[i]) &&
        !has_equal(other.parts_, parts_[i]) && !has_equal(other.plain_fractions_, parts_[i]))
      out.push_back(fractions_[i]);
  return out;
}

bool NumbersOfText::has_scaled(const NumberReading& number) const {
  return std::ranges::any_of(scaled_, [&](const NumberReading& one) {
    return one.digits == number.digits && are_equal_with_words(one, number);
  });
}

bool NumbersOfText::has_fraction(const NumberReading& fraction) const {
  if (has(fraction, are_equal) || has_equal(plain_fractions_, fraction)) return true;
  const double value = values_of(fraction).front(), share = share_of_rounding(fraction);
  return has_about(value, share) || has_about(kPercent * value, share);
}

bool NumbersOfText::has_as_fraction(const NumberReading& number) const {
  return std::ranges::any_of(fractions_, [&](const NumberReading& fraction) {
    const double share = share_of_rounding(fraction);
    return std::ranges::any_of(values_of(number), [&](double value) {
      const double own = values_of(fraction).front();
      return is_about(value, own, share) || is_about(value, kPercent * own, share);
    });
  });
}

bool NumbersOfText::names_month(int month) const {
  if (!named_months_) named_months_ = months_named_in(text_);
  return month > 0 && named_months_->test(static_cast<std::size_t>(month) - 1);
}

bool NumbersOfText::has_day_of(const std::string& day, const std::string& month) const {
  return day.size() <= 2 && may_be_days_and_months(day, month) && may_be_a_month(month) &&
         has_free(day) && names_month(std::stoi(month));
}

bool NumbersOfText::has_month(const NumbersOfText& theirs, std::size_t i) const {
  const JoinedGroups& groups = theirs.groups_;
  const std::string& month = groups[i].digits;
  return (groups.may_follow_in_date(i) && has_day_of(groups[i - 1].digits, month)) ||
         (groups.may_follow_in_date(i + 1) && has_day_of(groups[i + 1].digits, month));
}

std::ptrdiff_t NumbersOfText::count_raised(const std::string& digits) const {
  return std::ranges::count(raised_, digits, &RaisedNumber::digits);
}

std::ptrdiff_t NumbersOfText::count_plain(const std::string& digits) const {
  return std::ranges::count(groups_.all(), digits, &DigitGroup::digits);
}

bool NumbersOfText::has_raised_missing_in(const NumbersOfText& other) const {
  return std::ranges::any_of(raised_, [&](const RaisedNumber& one) {
    const auto lacking = std::ranges::count(raised_, one) - std::ranges::count(other.raised_, one);
    return lacking > 0 && other.count_plain(one.digits) - count_plain(one.digits) < lacking;
  });
}

bool NumbersOfText::has(const NumberReading& number, Equal equal) const {
  const auto [begin, end] = readings_.equal_range(number.digits);
  return std::any_of(begin, end, [&](const auto& one) { return equal(one.second, number); });
}

bool NumbersOfText::has_any(const NumbersOfText& theirs, std::size_t first,
                            std::size_t last) const {
  const std::size_t most = theirs.groups_.size();
  for (std::size_t begin = first - std::min(first, kLongestNumber); begin <= first; ++begin)
    for (std::size_t end = last; end < most && end - begin < kLongestNumber; ++end)
      if (theirs.groups_.may_be_one(begin, end)) {
        const NumberReading one = theirs.groups_.reading(begin, end);
        if (has(one, may_be_equal) || has_equal(plain_fractions_, one) || has_as_fraction(one))
          return true;
      }
  if (first == last) {
    const std::string& digits = theirs.groups_[first].digits;
    if (count_raised(digits) > theirs.count_raised(digits) || has_month(theirs, first)) return true;
    const auto end = theirs.groups_.whole_end_of_range(first);
    if (end && has(whole_number(*end), are_equal)) return true;
  }
  if (last == first + 1 && theirs.groups_[last].sign == U'.') {
    const std::string &one = theirs.groups_[first].digits, &two = theirs.groups_[last].digits;
    if (has_day_of(one, two) || has_day_of(two, one)) return true;
  }
  const bool is_date = theirs.groups_.is_date(first, last);
  const bool is_decimal = last == first + 1 && theirs.groups_[last].after_decimal_sign;
  if (theirs.groups_.has_blank(first, last) && !has_as_many(theirs, first, last)) return false;
  if (has_nearly(theirs, first, last)) return false;
  bool some = false, some_hour = false;
  for (std::size_t i = first; i <= last; ++i) {
    const std::string& digits = theirs.groups_[i].digits;
    if (first < last && digits == "000") return false;
    const bool is_full_hour = some && last == first + 1 && digits == "00";
    const bool is_there =
        is_decimal && !some_hour ? has_free(digits) : has(theirs.groups_.reading(i, i), are_equal);
    const bool is_hour = has_hour(digits);
    if (is_there || has_year(theirs, digits) || is_hour || is_full_hour) {
      some = true;
      some_hour = some_hour || (is_hour && i == first);
    } else if (!(is_date && may_be_a_month(digits)) &&
               !(theirs.groups_.has_blank(first, last) && digits.size() == 1))
      return false;
  }
  return some;
}

bool NumbersOfText::has_nearly(const NumbersOfText& theirs, std::size_t first,
                               std::size_t last) const {
  const std::size_t count = last - first + 1;
  if (count < 3) return false;
  for (std::size_t begin = 0, end = 0; begin < groups_.size(); begin = end + 1) {
    end = groups_.end_of_grouped(begin);
    if (end - begin + 1 != count || theirs.has(groups_.reading(begin, end), may_be_equal)) continue;
    const std::size_t common = count_common(begin, theirs, first, count);
    if (common + 1 == count || (common == count && !theirs.groups_.is_date(first, last)))
      return true;
  }
  return false;
}

std::size_t NumbersOfText::count_common(std::size_t begin, const NumbersOfText& theirs,
                                        std::size_t first, std::size_t count) const {
  std::vector<bool> used(count);
  std::size_t common = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < count; ++k) {
      if (used[k] || !are_equal_parts(groups_[begin + i].digits, theirs.groups_[first + k].digits))
        continue;
      used[k] = true;
      ++common;
      break;
    }
  return common;
}

bool NumbersOfText::has_as_many(const NumbersOfText& theirs, std::size_t first,
                                std::size_t last) const {
  std::map<std::string, std::ptrdiff_t> counts;
  for (std::size_t i = first; i <= last; ++i) ++counts[theirs.groups_[i].digits];
  return std::ranges::all_of(counts, [&](const auto& one) {
    return one.second == 1 ||
           std::ranges::count(groups_.all(), one.first, &DigitGroup::digits) >= one.second;
  });
}

bool NumbersOfText::has_free(const std::string& digits) const {
  const std::string value = without_leading_zeros(digits);
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (without_leading_zeros(groups_[i].digits) == value && !groups_.is_grouped(i) &&
        !(i + 1 < groups_.size() && groups_.is_grouped(i + 1)))
      return true;
  return false;
}

bool NumbersOfText::has_year(const NumbersOfText& theirs, const std::string& digits) const {
  if (!is_year(digits)) return endings_of_years_.contains(digits);
  const std::string century = digits.substr(0, 2), ending = digits.substr(2);
  const bool may_begin_range = theirs.endings_of_years_.contains(century);
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].digits == ending &&
        (may_begin_range || groups_[i].joint != Joint::loose || groups_[i - 1].digits != century))
      return true;
  return false;
}

bool NumbersOfText::has_hour(const std::string& digits) const {
  constexpr int kHalfADay = 12;
  const auto hour = hour_of(digits);
  return hour && (hours_.contains(*hour + kHalfADay) || hours_.contains(*hour - kHalfADay));
}

}  // namespace heed::study
