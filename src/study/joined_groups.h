// Which neighbouring groups of digits may be one number, and which one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "study/digit_groups.h"
#include "study/number_reading.h"

namespace heed::study {

inline constexpr std::size_t kLongestNumber = 8;  // groups of digits

/// Digits around a slash that may be a fraction: 3/4, or 2 3/4 with a whole number before it.
struct PlainFraction {
  std::size_t last;  // group
  NumberReading value;
};

/// A number times a power of ten, or the power alone.
struct ScaledNumber {
  std::size_t last;  // group: 10
  NumberReading value;
};

/// The groups of digits of a text. Several of them are named by the first and the last one.
class JoinedGroups {
 public:
  explicit JoinedGroups(std::vector<DigitGroup> groups) : groups_(std::move(groups)) {}

  const std::vector<DigitGroup>& all() const { return groups_; }
  std::size_t size() const { return groups_.size(); }
  const DigitGroup& operator[](std::size_t i) const { return groups_[i]; }

  /// Whether the group belongs to a number with the one before it.
  bool is_grouped(std::size_t i) const;

  /// Returns the last group of the number of which `first` is the first one.
  std::size_t end_of_grouped(std::size_t first) const;

  bool are_joined(std::size_t first, std::size_t last) const;

  /// Whether the groups may be one number. Dashes and the like join the three or more groups of a
  /// telephone number or date, and two that are no range.
  bool may_be_one(std::size_t first, std::size_t last) const;

  /// The number that the groups are if they are one.
  NumberReading reading(std::size_t first, std::size_t last) const;

  /// Whether a decimal sign and no digits but zeros are before the group: 0.5.
  bool is_fraction(std::size_t i) const;

  /// Whether the groups may be a date: day and month, with the year before or after them.
  bool is_date(std::size_t first, std::size_t last) const;

  bool has_blank(std::size_t first, std::size_t last) const;

  /// Returns the digits of the number in which the group is up to its end; nothing where these are
  /// too many.
  std::optional<int64_t> whole_until(std::size_t last) const;

  /// Returns the number with a power of ten that begins with the groups `first` to `last`: 5 of
  /// 5×10⁶, or 10 of 10⁶.
  std::optional<ScaledNumber> scaled_from(std::size_t first, std::size_t last) const;

  /// Returns the fraction that begins with the group.
  std::optional<PlainFraction> fraction_from(std::size_t first) const;

  /// Whether the group is the lower number of a fraction.
  bool is_denominator(std::size_t i) const;

  /// Returns what the group stands for if it is the shortened end of a range: 125 for the 5 of
  /// 123-5.
  std::optional<int64_t> whole_end_of_range(std::size_t i) const;

  /// Whether the group and the one before it may be a day and a month, in any order: with a slash
  /// between them, or with a dash if a year stands on one of their sides.
  bool may_follow_in_date(std::size_t i) const;

 private:
  bool is_simple_fraction(std::size_t first) const;
  bool is_mixed_fraction(std::size_t first) const;
  std::size_t count_digits(std::size_t first, std::size_t last) const;
  bool is_time(std::size_t first, std::size_t last) const;
  bool is_telephone(std::size_t first, std::size_t at, std::size_t last) const;
  std::size_t decimals(std::size_t first, std::size_t last) const;
  bool is_decimal(std::size_t first, std::size_t last) const;

  /// Whether `is` holds for a group after the first.
  template <class Is>
  bool any_after(std::size_t first, std::size_t last, const Is& is) const {
    return std::any_of(groups_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                       groups_.begin() + static_cast<std::ptrdiff_t>(last) + 1, is);
  }

  std::vector<DigitGroup> groups_;
};

}  // namespace heed::study
