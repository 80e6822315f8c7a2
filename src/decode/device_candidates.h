// Candidates of scores that are tensors: what leaves the device of a step.
#pragma once

#include <ATen/Parallel.h>

#include <vector>

#include "decode/search/candidates.h"
#include "engine/threads.h"
#include "kernels/tensor.h"

namespace heed::decode {

/// Those that are already at work have none to lend.
inline const engine::Threads& libtorch_threads() {
  static const engine::Threads threads = [](int64_t count, int64_t grain, const auto& work) {
    at::parallel_for(0, count, grain, work);
  };
  return threads;
}

/// What candidates are chosen from.
struct CandidateScores {
  Tensor values;  // [rows, vocab], kNever where forbidden; CPU: fp32
  /// [rows, vocab] fp32, with what is forbidden; undefined: `values` are that.
  Tensor log_probabilities;
};

/// The `count` best of each row, best first, equal ones by lower id. On the CPU one pass over
/// memory, and there must be no NaN; elsewhere ATen's topk, one copy to the host, and
/// require_numbers() of what it brings.
Candidates best_candidates(const CandidateScores& scores, int64_t count);

/// Likewise all of each row, in the order of the vocabulary.
Candidates all_candidates(const CandidateScores& scores);

}  // namespace heed::decode
