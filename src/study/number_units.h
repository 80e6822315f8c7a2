// The units after numbers: those that are powers of ten of others, and those that translators
// convert.
#pragma once

#include <string_view>
#include <vector>

namespace heed::study {

/// The power of ten of the unit with which the text after a number begins, as against metres,
/// percent and one: 1.80 m are 180 cm, 1.2 crore 12 million. 0 where there is none.
int power_of_unit(std::string_view text);

/// The units of the imperial system that English names, which translators convert.
class ImperialUnits {
 public:
  explicit ImperialUnits(std::string_view text);

  bool none() const { return factors_.empty() && !has_degrees_; }

  /// Returns what a number may be in other units.
  std::vector<double> conversions_of(double number) const;
  /// Returns what two numbers beside each other may be together: 5 feet 11 inches, 7 pounds 8
  /// ounces, 11 stone 4 pounds.
  std::vector<double> conversions_of(double larger, double smaller) const;

 private:
  struct UnitPair {
    double larger, smaller;  // in the unit of the metric system
    double parts;            // of this unit, that others may count: 100 for metres
  };

  std::vector<double> factors_;
  std::vector<UnitPair> pairs_;
  bool has_degrees_ = false;
};

}  // namespace heed::study
