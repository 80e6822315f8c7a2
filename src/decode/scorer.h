// What ranks hypotheses: log-probability over a length penalty, plus a coverage penalty.
// Torch-free.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/config.h"

namespace heed::decode {

class Scorer {
 public:
  explicit Scorer(const DecodeConfig& config);

  /// `length` counts pieces and, where there is one, eos; >= 1. `coverage` is the result of
  /// coverage() or 0.
  double score(double log_probability, int64_t length, double coverage) const;

  /// The most that a hypothesis of this log-probability can still reach when `limit` is the longest
  /// length. Log-probabilities only fall and coverage is at most 0, while a longer length only
  /// lowers the cost of what is there.
  double bound(double log_probability, int64_t limit) const;

  /// beta * sum_i log(min(sum_t a(t,i), 1)) over source pieces i, eos aside (Wu et al. 2016, eq.
  /// 14). `attended`: the attention that each piece received. Pieces that got exactly none (local
  /// windows) count as 1e-6.
  double coverage(const std::vector<double>& attended) const;

  bool wants_coverage() const { return beta_ > 0; }
  /// Whether bound() is tight enough to be the only stop rule.
  bool exact() const { return penalty_ == LengthPenalty::none; }

 private:
  double divisor(int64_t length) const;

  LengthPenalty penalty_;
  double alpha_, beta_;
};

}  // namespace heed::decode
