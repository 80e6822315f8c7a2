// Single attention heads of a Transformer: silenced for a while, or taken out for good (Michel,
// Levy and Neubig 2019; Voita et al. 2019).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/description/config.h"
#include "model/pointer.h"
#include "model/weights.h"

namespace heed::model {

struct HeadIndex {
  AttentionKind kind = AttentionKind::encoder;
  int64_t layer = 0, head = 0;  // from 0; heads that were pruned before keep their numbers
  auto operator<=>(const HeadIndex&) const = default;
};

/// The head's name as in ModelConfig::pruned_heads: "encoder.0.2".
std::string name_of(const HeadIndex& head);

/// The heads that a Transformer has: encoder, decoder, cross; by layer and head.
std::vector<HeadIndex> heads_of(const ModelConfig& config);

/// While the result lives, these heads of `model`, a Transformer of `config`, add nothing to the
/// output of their layer: their columns of the output projection are zero.
Replaced silenced(const Model& model, const ModelConfig& config,
                  const std::vector<HeadIndex>& heads);

/// Copies the weights of a Transformer into one of the same shape with fewer heads, `smaller`: it
/// computes what the first one computes with the other heads silenced.
void copy_without_heads(const Model& model, const ModelConfig& config, Model& smaller,
                        const ModelConfig& smaller_config);

}  // namespace heed::model
