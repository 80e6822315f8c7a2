// What ranks hypotheses: log-probability over a length penalty, plus a coverage penalty.
// Torch-free.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "decode/search/config.h"

namespace heed::decode {

class Scorer {
 public:
  explicit Scorer(const DecodeConfig& config)
      : penalty_(config.length_penalty), alpha_(config.alpha), beta_(config.coverage_penalty) {}

  /// `length` counts pieces and, where there is one, eos; >= 1. `coverage` is the result of
  /// coverage() or 0.
  double score(double log_probability, int64_t length, double coverage) const {
    return log_probability / divisor(length) + coverage;
  }

  /// The most that a hypothesis of this log-probability can still reach when `limit` is the longest
  /// length. Log-probabilities only fall and coverage is at most 0, while a longer length only
  /// lowers the cost of what is there.
  double bound(double log_probability, int64_t limit) const {
    return log_probability / divisor(limit);
  }

  /// beta * sum_i log(min(sum_t a(t,i), 1)) over source pieces i, eos aside (Wu et al. 2016, eq.
  /// 14). `attended`: the attention that each piece received. Pieces that got exactly none (local
  /// windows) count as 1e-6.
  double coverage(const std::vector<double>& attended) const {
    constexpr double kLeastAttended = 1e-6;
    double sum = 0;
    for (const double mass : attended) sum += std::log(std::clamp(mass, kLeastAttended, 1.0));
    return beta_ * sum;
  }

  bool wants_coverage() const { return beta_ > 0; }
  /// Whether bound() is tight enough to be the only stop rule.
  bool exact() const { return penalty_ == LengthPenalty::none; }

 private:
  double divisor(int64_t length) const {
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

  LengthPenalty penalty_;
  double alpha_, beta_;
};

}  // namespace heed::decode
