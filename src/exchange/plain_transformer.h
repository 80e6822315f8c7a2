// What the Transformers of other programs have in common: all their heads are alike, and scores are
// divided by the root of a head's width before the softmax.
#pragma once

#include <string>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::exchange {

/// What such a Transformer lacks that the model needs, as the end of a sentence that names the key;
/// empty where it can be one.
std::string missing_in_plain_transformer(const model::ModelConfig& config);

/// A model without the root computes the same with it, where queries are larger by that root.
engine::Weights with_scaled_queries(const model::ModelConfig& config,
                                    const engine::Weights& weights);

/// These programs divide the log-probability of a hypothesis by this power of its length.
double length_exponent(const decode::DecodeConfig& config);

}  // namespace heed::exchange
