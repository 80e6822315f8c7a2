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

/// Throws Failure where a model's scores are not `sound`: some are no numbers.
void require_numbers(bool sound);

/// The `count` best of each row, best first, equal ones by lower id. `scores` [rows, vocab] fp32.
/// On the CPU one pass over memory, and there must be no NaN; elsewhere ATen's topk, one copy to
/// the host, and require_numbers() of what it brings. With `partitions`, one a row, the scores are
/// logits, and what is returned log-probabilities.
Candidates best_candidates(const Tensor& scores, int64_t count,
                           const std::vector<kernels::Partition>& partitions = {});

/// Likewise all of each row, in the order of the vocabulary.
Candidates all_candidates(const Tensor& scores,
                          const std::vector<kernels::Partition>& partitions = {});

}  // namespace heed::decode
