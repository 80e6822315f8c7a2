// Transformers (model/transformer/) laid out for translating on a CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/attend.h"
#include "engine/network.h"
#include "kernels/rows/pattern.h"
#include "model/description/config.h"

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

/// Rows of some positions, beside each other; empty: there are none.
struct PositionRows {
  Floats numbers;
  int64_t size = 0;  // of a row

  bool any() const { return size > 0; }
};

/// What one layer adds to scores by distance, in numbers.
struct LayerDistances {
  Floats numbers, vectors;
  int64_t reach = 0;

  RowDistances from(int64_t first) const {
    return {numbers.empty() ? nullptr : numbers.data(), vectors.empty() ? nullptr : vectors.data(),
            reach, first};
  }
};

/// The positions of one stack of layers (model::Positions), in numbers.
class StackPositions {
 public:
  virtual ~StackPositions() = default;

  virtual int64_t longest() const = 0;
  /// Of the positions [first, first + length). rotations: [head / 2][2], cosine and sine.
  virtual PositionRows vectors(int64_t first, int64_t length) const = 0;
  virtual PositionRows rotations(int64_t first, int64_t length) const = 0;
  /// Of these heads of a layer (empty: of all), for sentences of `length` pieces.
  virtual LayerDistances by_distance(int64_t layer, int64_t length,
                                     const std::vector<int64_t>& heads) const = 0;
};
using StackPositionsPtr = std::shared_ptr<const StackPositions>;

struct StackWeights {
  Array embedding;  // [vocab, width]
  StackPositionsPtr positions;
  PositionRows vectors, rotations;  // of the usual positions
  std::vector<LayerWeights> blocks;
  LayerNorm norm;  // at the end, with pre-norm
};

struct TransformerWeights {
  model::ModelConfig config;
  StackWeights encoder, decoder;
  Linear output;
};

/// Of a model that has_network(). `positions`: of the encoder and the decoder.
std::unique_ptr<Network> make_transformer(
    const model::ModelConfig& config, const Weights& weights,
    const std::pair<StackPositionsPtr, StackPositionsPtr>& positions, WeightFormat numbers);

}  // namespace heed::engine
