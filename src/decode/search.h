// Batched beam search, greedy search and sampling over any Model.
//
// One step for all sentences of a batch: log-probabilities in fp32, then the best continuations of
// each hypothesis, then per sentence the best of these. A continuation by eos finishes its
// hypothesis if it ranks among the first beam_size; the best beam_size others go on. Equal scores:
// the earlier hypothesis, then the lower piece id.
//
// pad, bos and what is forbidden are never emitted, eos not before min_length pieces, unk may be.
// What is forbidden is not renormalised away: scores stay the model's own log-probabilities.
//
// A sentence stops
//  - when no live hypothesis can reach the n_best-th finished one, whatever it adds: its score
//  cannot exceed its log-probability
//    divided by the length penalty at the length limit (exact for every penalty, and the only rule
//    for `none`), or
//  - for average, power and gnmt, when beam_size hypotheses have finished: the exact bound is too
//  far away to be
//    waited for, and later ones win rarely, or
//  - at ceil(max_length_ratio * source pieces) + 10 steps, or as many as min_length needs, but
//  never more than the model can take. Finished hypotheses are then
//    returned first; live ones only fill up what n_best lacks, marked `cut`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decode/config.h"
#include "decode/hypothesis.h"
#include "decode/recorded_steps.h"
#include "model/model.h"
#include "text/vocabulary.h"

namespace heed::decode {

struct SearchOptions {
  DecodeConfig config;
  bool keep_attention = false;
  /// One per sentence: its own random stream, so that neighbours do not matter. Empty: the row's
  /// number.
  std::vector<uint64_t> sampling_streams;
  /// One per sentence: the pieces that its hypotheses begin with, whatever is forbidden. They count
  /// in log-probabilities and not in the length limit. Empty: none has any.
  std::vector<std::vector<int32_t>> prefixes;
  /// What a reader sees of pieces. Where it is given, the best of the hypotheses with one text is
  /// the only one of them. Several threads may call it.
  std::function<std::string(const std::vector<int32_t>&)> text;
  /// Pieces that no hypothesis has behind its prefix.
  std::vector<int64_t> never{text::kPad, text::kBegin};
  /// Graphs of the models' steps, if any.
  RecordedSteps* recorded = nullptr;
};

/// n_best hypotheses per sentence of `source`, best first (fewer only where the search space holds
/// fewer). Runs without gradients in eval mode (restores the mode). Several models make an
/// ensemble: their probabilities are averaged (same target vocabulary; each its own `sources`
/// entry). With sampling.top_k or top_p set, the n_best are independent draws, which may coincide,
/// and beam_size has no part. Throws Failure when a model's scores are not numbers.
std::vector<std::vector<Hypothesis>> search(const std::vector<model::Model*>& models,
                                            const std::vector<model::Source>& sources,
                                            const SearchOptions& options);

/// Most steps of a search, eos counted, for a source of so many pieces (eos not counted). There is
/// room for min_length.
int64_t length_limit(const DecodeConfig& config, int64_t source_pieces, int64_t model_longest);

}  // namespace heed::decode
