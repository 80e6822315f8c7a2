// The numbers of one text, and which of them another text has.
#pragma once

#include <bitset>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "study/digit_groups.h"
#include "study/joined_groups.h"
#include "study/month_names.h"
#include "study/number_reading.h"

namespace heed::study {

/// The numbers of one side.
class NumbersOfText {
 public:
  /// The text must outlive this.
  explicit NumbersOfText(std::string_view text);

  /// Whether a number differs from `value` by no more than this share.
  bool has_about(double value, double share) const;

  bool none() const { return groups_.size() == 0 && raised_.empty() && fractions_.empty(); }
  bool too_many() const;

  /// Returns the numbers other than zero that `other` does not have, however they are read.
  std::vector<NumberReading> missing_in(const NumbersOfText& other) const;

  /// Whether `other` lacks a raised or lowered number, and has no plain one in its place.
  bool has_raised_missing_in(const NumbersOfText& other) const;

 private:
  using Equal = bool (*)(const NumberReading&, const NumberReading&);

  NumbersOfText(std::string_view text, Digits digits);

  bool has(const NumberReading& number, Equal equal) const;

  /// Whether a number with a power of ten is this one.
  bool has_scaled(const NumberReading& number) const;

  /// Whether a fraction, however it is written, or a decimal is equal to this one.
  bool has_fraction(const NumberReading& fraction) const;

  /// Whether a fraction of one character is the number, or so many percent.
  bool has_as_fraction(const NumberReading& number) const;

  /// Whether the group of `theirs` is a month that has its name here, beside a day that is here.
  bool has_month(const NumbersOfText& theirs, std::size_t i) const;

  /// Whether the day is here, and the name of the month.
  bool has_day_of(const std::string& day, const std::string& month) const;

  std::ptrdiff_t count_raised(const std::string& digits) const;
  std::ptrdiff_t count_plain(const std::string& digits) const;

  /// Whether these groups of `theirs`, with those around them, are here, or each of them is: a word
  /// for zeros stands after all of them.
  bool has_any(const NumbersOfText& theirs, std::size_t first, std::size_t last) const;

  /// Whether a number of three or more groups is here that is like these groups of `theirs` but for
  /// one of them or their order, and that `theirs` lacks: versions, sections, addresses.
  bool has_nearly(const NumbersOfText& theirs, std::size_t first, std::size_t last) const;

  /// Returns how many of `count` groups from `begin` are among as many of `theirs` from `first`.
  std::size_t count_common(std::size_t begin, const NumbersOfText& theirs, std::size_t first,
                           std::size_t count) const;

  /// Whether what stands several times among these groups of `theirs` does so here: 100 100 100 may
  /// be three numbers, of which 100 is only one.
  bool has_as_many(const NumbersOfText& theirs, std::size_t first, std::size_t last) const;

  /// Whether these digits stand by themselves: a half of 2,8 is no half of 8,2.
  bool has_free(const std::string& digits) const;

  /// Whether a year of `theirs` is there in its other form: 1985 as '85, or '85 as 1985. The end of
  /// 20-25 is no form of 2025, unless the beginning is a year, too.
  bool has_year(const NumbersOfText& theirs, const std::string& digits) const;

  /// Whether an hour is there in its other form: 17 as 5 in the afternoon, or the reverse.
  bool has_hour(const std::string& digits) const;

  /// Whether the text has a name of the month, 1 to 12.
  bool names_month(int month) const;

  std::string_view text_;
  mutable std::optional<std::bitset<kMonths>> named_months_;  // once they were asked for
  JoinedGroups groups_;
  std::vector<NumberReading> scaled_;  // by powers of ten: 5×10⁶
  std::vector<RaisedNumber> raised_;
  // Fractions of one character, with and without the whole numbers before them. Where a text is
  // written from the right, these stand after them.
  std::vector<NumberReading> fractions_, parts_;
  std::vector<NumberReading> plain_fractions_;  // what may be one: 3/4 is a date, too
  std::set<std::string> endings_of_years_;
  std::set<int> hours_;
  std::multimap<std::string, NumberReading> readings_;
};

}  // namespace heed::study
