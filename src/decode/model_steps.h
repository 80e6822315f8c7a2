// The steps of models by LibTorch, on any device, and what leaves the device of a step.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decode/search/candidates.h"
#include "decode/search/search.h"
#include "engine/threads.h"
#include "model/model.h"

namespace heed::decode {

/// Those that are already at work have none to lend.
const engine::Threads& libtorch_threads();

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

/// log of the mean of probabilities. `logits`: one [..., vocab] per model, unnormalised. Returns
/// fp32 log-probabilities.
Tensor mixed_log_probabilities(const std::vector<Tensor>& logits);

class RecordedSteps;

/// As LineTranslator::with_steps(). `sources`: one per model, of the same sentences. Runs without
/// gradients in eval mode (restores the mode). `recorded`: graphs of the steps, if any.
void with_steps(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
                const SearchOptions& options, RecordedSteps* recorded,
                const std::function<void(Steps&)>& work);

}  // namespace heed::decode
