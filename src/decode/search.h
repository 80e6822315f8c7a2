// Batched beam search, greedy search and sampling over any Model.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/config.h"
#include "model/model.h"

namespace heed::decode {

struct Hypothesis {
  std::vector<int32_t> ids;            // pieces, without bos and eos
  double log_probability = 0;          // sum over pieces and eos
  double score = 0;                    // after the length and coverage penalties: what ranks hypotheses
  std::vector<float> token_log_probabilities;  // [ids + eos]
  /// Cross-attention row of each emitted token (eos included) over the source (eos included): the last attending layer,
  /// mean of its heads. Empty unless asked for, and for models without attention.
  std::vector<std::vector<float>> attention;
  bool cut = false;  // reached the length limit without eos
};

struct SearchOptions {
  DecodeConfig config;
  bool keep_attention = false;
  std::vector<uint64_t> sampling_streams;  // one per sentence: its own random stream, so that neighbours do not matter
};

/// n_best hypotheses per sentence of `source`, best first. Runs without gradients in eval mode (restores the mode).
/// Several models make an ensemble: their probabilities are averaged (same target vocabulary; each its own `sources` entry).
std::vector<std::vector<Hypothesis>> search(const std::vector<model::Model*>& models,
                                            const std::vector<model::Source>& sources,
                                            const SearchOptions& options);

}  // namespace heed::decode
