// One translation, as search gives it.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::decode {

struct Hypothesis {
  std::vector<int32_t> ids;    // pieces, without bos and eos
  double log_probability = 0;  // sum over pieces and eos
  double score = 0;            // after the length and coverage penalties: what ranks hypotheses
  std::vector<float> token_log_probabilities;  // [ids + eos]; without eos where cut
  /// Cross-attention row of each emitted token (eos included) over the source (eos included): the
  /// last attending layer, mean of its heads. Empty unless asked for, and for models without
  /// attention. Ensembles: the first model's.
  std::vector<std::vector<float>> attention;
  bool cut = false;  // reached the length limit without eos
};

}  // namespace heed::decode
