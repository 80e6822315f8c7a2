// Where unusual values begin.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {

/// The median of the values and `far` times their median distance from it; 0 of none. Of an even
/// number the upper one of the middle two is the median.
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
