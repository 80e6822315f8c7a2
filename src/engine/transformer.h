// A Transformer laid out for translating on a CPU: weights rearranged for its vector units in fp32,
// bf16 or int8, steps without one call of LibTorch, caches that are never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/attend.h"
#include "engine/network.h"
#include "kernels/rows/pattern.h"
#include "model/model.h"
#include "model/transformer/positions/positions.h"

namespace heed::engine {

struct LayerNorm {
  Floats gamma, beta;
};

struct AttentionWeights {
  LayerNorm norm;
  HeadShape shape;
  std::vector<int64_t> kept;      // as MultiHeadOptions
  kernels::Pattern pattern = {};  // of self-attention
  Linear query, keys_values, output;
};

struct LayerWeights {
  AttentionWeights self, cross;  // cross: in the decoder alone
  LayerNorm norm;                // of the feed-forward layers
  Linear inner, outer;
};

/// Rows of the usual positions, beside each other; empty: there are none.
struct PositionRows {
  Floats numbers;
  int64_t size = 0;  // of a row

  bool any() const { return size > 0; }
};

struct StackWeights {
  Array embedding;  // [vocab, width]
  std::shared_ptr<const model::Positions> positions;
  PositionRows vectors, rotations;  // of the positions; rotations: [head / 2][2], cosine and sine
  std::vector<LayerWeights> blocks;
  LayerNorm norm;  // at the end, with pre-norm
};

struct TransformerWeights {
  model::ModelConfig config;
  StackWeights encoder, decoder;
  Linear output;
};

/// A tensor's numbers in fp32, row by row; none where it is undefined.
Floats numbers_of(const Tensor& tensor);

/// Of a model that has_network().
std::unique_ptr<Network> make_transformer(model::Model& model, const model::ModelConfig& config,
                                          const Weights& weights, WeightFormat numbers);

}  // namespace heed::engine
