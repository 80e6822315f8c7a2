// The numbers of each decoding step of one sentence, so that a reader can compute them again by
// hand.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/attention_kind.h"

namespace heed::study {

struct NumberRows {
  std::vector<int64_t> shape;
  std::vector<float> values;  // row by row
};

/// One head of one layer.
struct WorkedHead {
  config::AttentionKind kind = config::AttentionKind::cross;
  int64_t layer = 0, head = 0;
  std::string score;  // "dot", "additive", or "none" where every step gets the same vector
  double factor = 1;  // of dot
  bool adds = false;  // positions add to scores
  // A name of kernels/normalisers/registry.def, "sum", or "" where it does not follow from a row.
  std::string normaliser;
  /// query [steps, any], keys [keys, any] or [steps, keys, any], vector [any] of the additive
  /// score, scores [steps, keys], gauss [steps, keys] where there is one, weights [steps, keys],
  /// values [keys, width], context [steps, width].
  std::map<std::string, NumberRows> numbers;
};

struct LikelyPiece {
  std::string piece;
  double probability = 0;
};

struct DecodingSteps {
  std::string attention;  // model::Traits::name
  bool states = false;    // values are the encoder's states, both directions side by side
  int64_t sentence = 0;   // line of the input, from 1
  std::vector<std::string> source, target;       // pieces with </s>
  std::vector<std::vector<LikelyPiece>> likely;  // of each step, the likeliest first
  std::vector<double> chosen;                    // the probability of each target piece
  std::vector<WorkedHead> heads;
};

/// Returns the JSON that the page of `heed attention --step` reads: numbers are float32 in base64,
/// row by row.
nlohmann::ordered_json json_of(const DecodingSteps& steps);

}  // namespace heed::study
