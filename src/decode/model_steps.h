// The steps of a search by models of LibTorch, on any device, and the candidates that are copied
// from the device after each step.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decode/search/candidates.h"
#include "decode/search/search.h"
#include "engine/threads.h"
#include "model/pointer.h"
#include "model/source.h"

namespace heed::decode {

/// Returns the threads of LibTorch. For one that already works for them the work is not divided
/// further.
const engine::Threads& libtorch_threads();

/// The scores that candidates are chosen from.
struct CandidateScores {
  Tensor values;  // [rows, vocab], kNever where forbidden; CPU: fp32
  /// [rows, vocab] fp32, also of forbidden pieces; undefined: `values` are the log-probabilities.
  Tensor log_probabilities;
};

/// Returns the `count` best pieces of each row, best first, equal ones by lower id. On the CPU this
/// is one pass over memory, and there must be no NaN. On other devices it uses ATen's topk and one
/// copy to the host, and calls require_numbers() for what it copied.
Candidates best_candidates(const CandidateScores& scores, int64_t count);

/// Returns all pieces of each row, in the order of the vocabulary.
Candidates all_candidates(const CandidateScores& scores);

/// Returns the log of the mean of the models' probabilities, in fp32. `logits` has one tensor [...,
/// vocab] per model, unnormalised.
Tensor mixed_log_probabilities(const std::vector<Tensor>& logits);

class RecordedSteps;

/// Calls work(steps) as LineTranslator::with_steps() does. `sources` has one source per model, of
/// the same sentences. The models run without gradients and in eval mode; their mode is restored.
/// `recorded` has graphs of the steps; null: there are none.
void with_steps(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
                const SearchOptions& options, RecordedSteps* recorded,
                const std::function<void(Steps&)>& work);

}  // namespace heed::decode
