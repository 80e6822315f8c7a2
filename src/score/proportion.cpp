#include "score/proportion.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"

namespace heed::score {

double Proportion::value() const {
  return of == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(of);
}

bool Proportion::reaches(double percent) const {
  if (of == 0) return percent <= 0;
  return at_least_percent(static_cast<double>(hits), percent, static_cast<double>(of));
}

Interval Proportion::interval() const {
  if (of == 0) return {0, 1};
  constexpr double kNormal = 1.959963984540054;  // 97.5 % of a normal distribution lies below
  const double n = static_cast<double>(of), p = value(), z2 = kNormal * kNormal;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {std::max(middle - half, 0.0), std::min(middle + half, 1.0)};
}

std::vector<std::string> row_of(const std::string& name, const Proportion& share) {
  const Interval interval = share.interval();
  return {name, std::to_string(share.of), std::to_string(share.hits), fixed(100 * share.value(), 2),
          fixed(100 * interval.low, 2) + " .. " + fixed(100 * interval.high, 2)};
}

bool at_least_percent(double part, double percent, double whole) {
  return 100 * part >= percent * whole;
}

}  // namespace heed::score
