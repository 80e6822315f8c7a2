// How a Transformer knows the order of words (model/transformer/positions/), in plain numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/attend.h"
#include "engine/weights.h"
#include "model/description/config.h"
#include "model/description/kinds.h"

namespace heed::engine {

/// The numbers that one layer adds to scores by distance.
struct LayerDistances {
  Floats numbers, vectors;
  int64_t reach = 0;

  RowDistances from(int64_t first) const {
    return {numbers.empty() ? nullptr : numbers.data(), vectors.empty() ? nullptr : vectors.data(),
            reach, first};
  }
};

struct PlainPositions;  // the functions of one kind

/// The positions of one stack of layers, the twin of model::Positions.
class StackPositions {
 public:
  /// Makes the positions of a Transformer's encoder or decoder. has_positions() must be true for
  /// their kind.
  StackPositions(const model::ModelConfig& config, const Weights& weights, bool decoder);

  model::PositionsEffect effect() const { return effect_; }
  /// The row of a position. kEmbeds: the vector to add to an embedding, [width]; kRotates: cosines
  /// and sines, [head / 2][2]. A row that is not kept is computed into `room`.
  const float* row(int64_t position, Floats& room) const;
  /// The numbers by distance of these heads of a layer, for sentences of `length` pieces.
  LayerDistances by_distance(int64_t layer, int64_t length,
                             const std::vector<int64_t>& heads) const;

  /// The input of a kind's functions.
  struct Stack {
    int64_t width = 0, heads = 1, layers = 0, longest = 0;
    bool causal = false;
    Array weight = {};  // for kinds that learn vectors: as model::Positions registers it

    int64_t head() const { return width / heads; }
  };

 private:
  const PlainPositions* plain_ = nullptr;
  model::PositionsEffect effect_ = model::PositionsEffect::kNothing;
  Stack stack_;
  Floats usual_;  // rows of the first positions
};

/// Whether there are StackPositions of this kind: there are none where its line of the registry
/// says kTensors.
bool has_positions(const std::string& kind);

}  // namespace heed::engine
