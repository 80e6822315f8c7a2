// A limit from which on values are unusual.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {

/// The median of the values plus `far` times their median distance from it; 0 where there are no
/// values. The median of an even number of values is the upper one of the middle two.
inline double outlier_limit(std::vector<double> values, double far) {
  if (values.empty()) return 0;
  const auto median = [&] {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    return *middle;
  };
  const double usual = median();
  for (double& one : values) one = std::abs(one - usual);
  return usual + far * median();
}

}  // namespace heed
