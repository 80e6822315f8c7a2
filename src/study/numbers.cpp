#include "study/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "study/number_reading.h"
#include "study/number_units.h"
#include "study/number_words.h"
#include "study/numbers_of_text.h"

namespace heed::study {
namespace {

constexpr std::size_t kSpelled = 2;  // digits; numbers of fewer or as many are often words
constexpr double kRounded = 0.08;    // by which a converted number may differ
constexpr double kExact = 0.02;      // by which one may that stands beside it in its own unit

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

/// Leaves out numbers beside each other that are together, in another unit, what `find` finds.
template <class Find>
void drop_pairs(Missing& from, const ImperialUnits& units, const Find& find) {
  for (std::size_t i = 0; i + 1 < from.size();) {
    bool any = false;
    for (const double value :
         units.conversions_of(values_of(from[i]).front(), values_of(from[i + 1]).front()))
      any = find(value) || any;
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(i);
    if (any)
      from.erase(at, at + 2);
    else
      ++i;
  }
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
  drop_pairs(from, units, find);
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

/// Leaves out the fractions that words of the other text may stand for.
void drop_spelled_fractions(Missing& missing, std::string_view other) {
  const auto is_fraction = [](const NumberReading& one) { return one.denominator > 0; };
  if (std::ranges::none_of(missing, is_fraction)) return;
  const NumberWords words(other);
  std::erase_if(missing, [&](const NumberReading& one) {
    return is_fraction(one) && words.may_spell_part(one.denominator);
  });
}

/// Whether raised or lowered numbers of both texts differ. What only one text has is a note, or the
/// exponent of a unit that has its name in the other one.
bool differ_in_raised(const NumbersOfText& ours, const NumbersOfText& theirs, const Missing& here,
                      const Missing& there) {
  const bool raised_here = ours.has_raised_missing_in(theirs),
             raised_there = theirs.has_raised_missing_in(ours);
  const auto may_be_lowered = [](const Missing& missing) {
    return std::ranges::any_of(missing, &NumberReading::after_letter);
  };
  return (raised_here && (raised_there || may_be_lowered(there))) ||
         (raised_there && may_be_lowered(here));
}

}  // namespace

bool differ_in_numbers(std::string_view source, std::string_view target) {
  const NumbersOfText ours(source), theirs(target);
  if ((ours.none() && theirs.none()) || ours.too_many() || theirs.too_many()) return false;
  std::vector<NumberReading> here = ours.missing_in(theirs), there = theirs.missing_in(ours);
  if (differ_in_raised(ours, theirs, here, there)) return true;
  drop_spelled_fractions(here, target);
  drop_spelled_fractions(there, source);
  if (here.empty() && there.empty()) return false;
  const ImperialUnits units_here(source), units_there(target);
  if (!units_here.none()) drop_converted(here, there, units_here);
  if (!units_there.none()) drop_converted(there, here, units_there);
  if (!here.empty() && !there.empty()) return true;
  drop_pairs(here, units_here, [&](double value) { return theirs.has_about(value, kExact); });
  const NumberWords words(target);
  const auto is_lost = [&](const NumberReading& one) {
    // One is an article in many languages.
    const bool is_one = one.digits == "1" && one.exponents[0] == 0;
    const bool is_in_words = words.may_spell(one.digits, one.exponents[0]) ||
                             words.may_spell(one.digits, one.exponents[1]) ||
                             (one.any_exponent && words.may_spell(one.digits, kZerosOfThousand));
    return !is_one && !is_in_words && !is_converted(one, units_here, theirs, words);
  };
  const auto is_odd = [](const NumberReading& one) {
    return one.denominator == 0 && !is_often_in_words(one);
  };
  return std::ranges::any_of(here, is_lost) || std::ranges::any_of(there, is_odd);
}

}  // namespace heed::study
