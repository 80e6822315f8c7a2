// The numbers of one text, and which of them another text has.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "study/digit_groups.h"
#include "study/joined_groups.h"
#include "study/number_reading.h"

namespace heed::study {

/// The numbers of one side.
class NumbersOfText {
 public:
  explicit NumbersOfText(std::string_view text);

  /// Whether a number differs from `value` by no more than this share.
  bool has_about(double value, double share) const;

  bool none() const { return groups_.size() == 0; }
  bool too_many() const;

  /// Returns the numbers other than zero that `other` does not have, however they are read.
  std::vector<NumberReading> missing_in(const NumbersOfText& other) const;

 private:
  using Equal = bool (*)(const NumberReading&, const NumberReading&);

  explicit NumbersOfText(Digits digits);

  bool has(const NumberReading& number, Equal equal) const;

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

  JoinedGroups groups_;
  std::set<std::string> endings_of_years_;
  std::set<int> hours_;
  std::multimap<std::string, NumberReading> readings_;
};

}  // namespace heed::study
