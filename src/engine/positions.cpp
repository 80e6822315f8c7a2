#include "engine/positions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/error.h"
#include "kernels/rows/positions.h"
#include "model/description/names.h"

namespace heed::engine {

StackPositions::StackPositions(const model::ModelConfig& config, const Weights& weights,
                               bool decoder)
    : kind_(config.positions), width_(config.width), heads_(config.heads), causal_(decoder) {
  const char* name = decoder ? model::names::kTargetPositions : model::names::kSourcePositions;
  const std::string weight = model::names::within(name, "weight");
  const int64_t layers = decoder ? config.decoder_layers : config.encoder_layers;
  if (kind_ == "learned") weight_ = weights.at(weight, {config.max_positions, width_});
  if (kind_ == "t5") weight_ = weights.at(weight, {kernels::kT5Buckets, heads_});
  if (kind_ == "relative")
    weight_ = weights.at(weight, {layers, 2 * kernels::kRelativeReach + 1, width_ / heads_});
}

int64_t StackPositions::longest() const {
  return kind_ == "learned" ? weight_.rows() : std::numeric_limits<int64_t>::max();
}

PositionRows StackPositions::vectors(int64_t first, int64_t length) const {
  if (kind_ != "sinusoidal" && kind_ != "learned") return {};
  PositionRows rows{Floats(length * width_), width_};
  if (kind_ == "sinusoidal") {
    kernels::sinusoids(first, length, width_, rows.numbers.data());
  } else {
    expect(first + length <= longest(), "positions that were learned");
    std::copy_n(weight_.data + first * width_, length * width_, rows.numbers.data());
  }
  return rows;
}

PositionRows StackPositions::rotations(int64_t first, int64_t length) const {
  if (kind_ != "rotary") return {};
  const int64_t head = width_ / heads_;
  PositionRows rows{Floats(length * head), head};
  kernels::unit_rotations(first, length, head, rows.numbers.data());
  return rows;
}

LayerDistances StackPositions::by_distance(int64_t layer, int64_t length,
                                           const std::vector<int64_t>& heads) const {
  const int64_t farthest = std::max<int64_t>(length - 1, 0);
  LayerDistances distances;
  if (kind_ == "alibi") {
    distances.reach = farthest;
    const std::vector<double> slopes = kernels::alibi_slopes(heads_);
    for (const int64_t head : heads)
      for (int64_t away = -farthest; away <= farthest; ++away)
        distances.numbers.push_back(
            static_cast<float>(-slopes[head] * static_cast<double>(std::abs(away))));
  } else if (kind_ == "t5") {
    distances.reach = std::min(farthest, kernels::kT5Farthest);
    for (const int64_t head : heads)
      for (int64_t away = -distances.reach; away <= distances.reach; ++away)
        distances.numbers.push_back(
            weight_.data[kernels::t5_bucket(away, causal_) * heads_ + head]);
  } else if (kind_ == "relative") {
    distances.reach = kernels::kRelativeReach;
    const int64_t count = (2 * distances.reach + 1) * (width_ / heads_);
    const float* vectors = weight_.data + layer * count;
    distances.vectors.assign(vectors, vectors + count);
  }
  return distances;
}

bool has_positions(const std::string& kind) {
  constexpr std::array kKnown{"sinusoidal", "learned", "rotary", "alibi", "relative", "t5", "none"};
  return std::ranges::find(kKnown, kind) != kKnown.end();
}

}  // namespace heed::engine
