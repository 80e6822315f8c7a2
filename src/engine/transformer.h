// Transformers (model/transformer/) laid out for translating on a CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/attend.h"
#include "engine/network.h"
#include "engine/positions.h"
#include "kernels/rows/pattern.h"
#include "model/description/config.h"

namespace heed::engine {

struct LayerNorm {
  Floats gamma, beta;
};

struct AttentionWeights {
  LayerNorm norm;
  HeadShape shape;
  std::vector<int64_t> kept;      // the heads that are there
  kernels::Pattern pattern = {};  // of self-attention
  Linear query, keys_values, output;
};

struct LayerWeights {
  AttentionWeights self, cross;  // cross: in the decoder alone
  LayerNorm norm;                // of the feed-forward layers
  Linear inner, outer;
};

struct StackWeights {
  Array embedding;  // [vocab, width]
  StackPositions positions;
  PositionRows vectors, rotations;  // of the usual positions
  std::vector<LayerWeights> blocks;
  LayerNorm norm;  // at the end, with pre-norm
};

struct TransformerWeights {
  model::ModelConfig config;
  StackWeights encoder, decoder;
  Linear output;
};

/// Whether the engine knows the attention and the positions of `config`.
bool has_transformer(const model::ModelConfig& config);

/// Of a model that has_transformer().
std::unique_ptr<Network> make_transformer(const model::ModelConfig& config, const Weights& weights,
                                          WeightFormat numbers);

}  // namespace heed::engine
