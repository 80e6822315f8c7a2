// How a Transformer knows the order of words (model/transformer/positions/), in plain numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/attend.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::engine {

/// Rows of some positions, beside each other; empty: there are none.
struct PositionRows {
  Floats numbers;
  int64_t size = 0;  // of a row

  bool any() const { return size > 0; }
};

/// What one layer adds to scores by distance.
struct LayerDistances {
  Floats numbers, vectors;
  int64_t reach = 0;

  RowDistances from(int64_t first) const {
    return {numbers.empty() ? nullptr : numbers.data(), vectors.empty() ? nullptr : vectors.data(),
            reach, first};
  }
};

/// The positions of one stack of layers, as model::Positions.
class StackPositions {
 public:
  /// Of the encoder or the decoder of a Transformer.
  StackPositions(const model::ModelConfig& config, const Weights& weights, bool decoder);

  /// The longest sentence, in pieces.
  int64_t longest() const;
  /// Of the positions [first, first + length). rotations: [head / 2][2], cosine and sine.
  PositionRows vectors(int64_t first, int64_t length) const;
  PositionRows rotations(int64_t first, int64_t length) const;
  /// Of these heads of a layer, for sentences of `length` pieces.
  LayerDistances by_distance(int64_t layer, int64_t length,
                             const std::vector<int64_t>& heads) const;

 private:
  std::string kind_;
  int64_t width_, heads_;
  bool causal_;
  Array weight_;  // learned, relative, t5: as model::Positions registers it
};

/// Whether there are StackPositions of this kind: not of those that a registry got.
bool has_positions(const std::string& kind);

}  // namespace heed::engine
