// The continuations of each hypothesis that count: the only part of a step's scores that leaves the
// device.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/rows/step.h"
#include "kernels/tensor.h"

namespace heed::decode {

/// Scores of `count` pieces per row. Forbidden and missing ones are -inf.
struct Candidates {
  int64_t count = 0;
  std::vector<float> values;  // [rows, count]
  std::vector<int64_t> ids;   // [rows, count]; empty: candidate i is piece i

  std::span<const float> values_of(int64_t row) const {
    return {values.data() + row * count, static_cast<std::size_t>(count)};
  }
  int64_t id(int64_t row, int64_t i) const { return ids.empty() ? i : ids[row * count + i]; }
};

/// What candidates are chosen from.
struct CandidateScores {
  Tensor values;  // [rows, vocab], -inf where forbidden; CPU: fp32
  // How log-probabilities follow from `values`; neither: `values` are that.
  std::vector<kernels::Partition> partitions;  // one a row, of logits
  Tensor log_probabilities;                    // [rows, vocab] fp32, with what is forbidden
};

/// Throws Failure where a model's scores are not `sound`: some are no numbers.
void require_numbers(bool sound);

/// The `count` best of each row, best first, equal ones by lower id. On the CPU one pass over
/// memory, and there must be no NaN; elsewhere ATen's topk, one copy to the host, and
/// require_numbers() of what it brings.
Candidates best_candidates(const CandidateScores& scores, int64_t count);

/// Likewise all of each row, in the order of the vocabulary.
Candidates all_candidates(const CandidateScores& scores);

}  // namespace heed::decode
