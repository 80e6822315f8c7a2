#include "decode/scorer.h"

#include <algorithm>
#include <cmath>

namespace heed::decode {
namespace {
constexpr double kLeastAttended = 1e-6;
}

Scorer::Scorer(const DecodeConfig& config)
    : penalty_(config.length_penalty), alpha_(config.alpha), beta_(config.coverage_penalty) {}

double Scorer::divisor(int64_t length) const {
  const double n = static_cast<double>(std::max<int64_t>(length, 1));
  switch (penalty_) {
    case LengthPenalty::none:
      return 1;
    case LengthPenalty::average:
      return n;
    case LengthPenalty::power:
      return std::pow(n, alpha_);
    case LengthPenalty::gnmt:
      return std::pow((5 + n) / 6, alpha_);
  }
  return 1;
}

double Scorer::score(double log_probability, int64_t length, double coverage) const {
  return log_probability / divisor(length) + coverage;
}

double Scorer::bound(double log_probability, int64_t limit) const {
  return log_probability / divisor(limit);
}

double Scorer::coverage(const std::vector<double>& attended) const {
  double sum = 0;
  for (const double mass : attended) sum += std::log(std::clamp(mass, kLeastAttended, 1.0));
  return beta_ * sum;
}

}  // namespace heed::decode
