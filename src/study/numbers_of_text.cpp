#include "study/numbers_of_text.h"

#include <algorithm>
#include <utility>

namespace heed::study {
namespace {

constexpr std::size_t kMostGroups = 1000;  // of a line; more are a table, or no text

}  // namespace

NumbersOfText::NumbersOfText(std::string_view text) : NumbersOfText(digits_of(text)) {}

NumbersOfText::NumbersOfText(Digits digits) : groups_(std::move(digits.groups)) {
  for (const NumberReading& one : digits.in_letters) readings_.emplace(one.digits, one);
  if (too_many()) return;
  for (const DigitGroup& group : groups_.all()) {
    if (is_year(group.digits)) endings_of_years_.insert(group.digits.substr(2));
    if (const auto hour = hour_of(group.digits)) hours_.insert(*hour);
  }
  for (std::size_t first = 0; first < groups_.size(); ++first)
    for (std::size_t last = first; last < groups_.size() && groups_.are_joined(first, last); ++last)
      if (groups_.may_be_one(first, last) && !(first == last && groups_.is_fraction(first))) {
        NumberReading one = groups_.reading(first, last);
        readings_.emplace(one.digits, std::move(one));
      }
}

bool NumbersOfText::has_about(double value, double share) const {
  return std::ranges::any_of(readings_, [&](const auto& one) {
    return std::ranges::any_of(values_of(one.second),
                               [&](double other) { return is_about(other, value, share); });
  });
}

bool NumbersOfText::too_many() const {
  return groups_.size() > kMostGroups;
}

std::vector<NumberReading> NumbersOfText::missing_in(const NumbersOfText& other) const {
  std::vector<NumberReading> out;
  for (std::size_t first = 0, last = 0; first < groups_.size(); first = last + 1) {
    last = groups_.end_of_grouped(first);
    std::string digits;
    for (std::size_t i = first; i <= last; ++i) digits += groups_[i].digits;
    const std::string value = without_leading_zeros(digits);
    const bool is_month = groups_[last].is_month && may_be_a_month(groups_[last].digits);
    if (value.empty() || is_month || other.has_any(*this, first, last)) continue;
    out.push_back(groups_.reading(first, last));
  }
  return out;
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
      if (theirs.groups_.may_be_one(begin, end) &&
          has(theirs.groups_.reading(begin, end), may_be_equal))
        return true;
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
