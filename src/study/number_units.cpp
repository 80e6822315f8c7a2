#include "study/number_units.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "text/words.h"

namespace heed::study {
namespace {

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

/// Whether the text has feet and inches as marks: 5'11" and 5′ 11″.
bool has_marks_of_feet(std::string_view text) {
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  for (const std::string_view foot : {"'", "\u2032", "\u2019"})
    for (std::size_t at = text.find(foot); at != text.npos; at = text.find(foot, at + 1)) {
      std::size_t end = at + foot.size();
      if (at == 0 || !is_digit(at - 1)) continue;
      if (text.substr(end).starts_with(' ')) ++end;
      const std::size_t begin = end;
      while (is_digit(end) && end - begin < 3) ++end;
      const std::string_view rest = text.substr(end);
      if (end - begin == 0 || end - begin > 2) continue;
      for (const std::string_view inch : {"\"", "\u2033", "\u201D", "''", "\u2019\u2019"})
        if (rest.starts_with(inch)) return true;
    }
  return false;
}

/// The words of ASCII letters, in lower case.
text::WordSet ascii_words(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const char small = static_cast<char>(c | 0x20);
    words += small >= 'a' && small <= 'z' ? small : ' ';
  }
  return text::word_set(words);
}

}  // namespace

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

ImperialUnits::ImperialUnits(std::string_view text) {
  const text::WordSet words = ascii_words(text);
  const auto names = [&](const char* all) {
    return std::ranges::any_of(text::word_set(all),
                               [&](const std::string& one) { return words.contains(one); });
  };
  for (const Unit& unit : kUnits)
    if (names(unit.names))
      for (const double factor : unit.factors)
        if (factor > 0) factors_.push_back(factor);
  constexpr double kFoot = 0.3048, kInch = 0.0254, kStone = 6.35, kPound = 0.4536, kOunce = 0.02835;
  const bool has_marks = has_marks_of_feet(text);
  if (names("foot feet ft") || has_marks) pairs_.push_back({kFoot, kInch, 100});
  if (names("pound pounds lb lbs")) pairs_.push_back({kPound, kOunce, 1000});
  if (names("stone st")) pairs_.push_back({kStone, kPound, 1000});
  if (has_marks) factors_.insert(factors_.end(), {kFoot, 100 * kFoot});
  has_degrees_ = names(kDegrees) || text.find("\u00B0F") != text.npos;
}

std::vector<double> ImperialUnits::conversions_of(double number) const {
  constexpr double kDegree = 1.8, kZero = 32;
  std::vector<double> out;
  for (const double factor : factors_) out.push_back(number * factor);
  if (has_degrees_) {
    out.push_back((number - kZero) / kDegree);
    out.push_back(number / kDegree);
  }
  return out;
}

std::vector<double> ImperialUnits::conversions_of(double larger, double smaller) const {
  std::vector<double> out;
  for (const UnitPair& pair : pairs_) {
    const double all = pair.larger * larger + pair.smaller * smaller;
    out.insert(out.end(), {all, pair.parts * all});
  }
  return out;
}

}  // namespace heed::study
