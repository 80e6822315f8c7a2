#include "engine/positions.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "kernels/rows/positions.h"

namespace heed::engine {
namespace {

constexpr int64_t kUsualLength = 256;  // more would delay the start

}  // namespace

StackPositions::StackPositions(const model::ModelConfig& config, const Weights& weights,
                               bool decoder)
    : kind_(model::positions_of_side(config, decoder)),
      effect_(model::positions_info(kind_).effect),
      width_(config.width),
      heads_(config.heads),
      causal_(decoder) {
  const char* name = decoder ? model::names::kTargetPositions : model::names::kSourcePositions;
  const std::string weight = model::names::within(name, "weight");
  const int64_t layers = decoder ? config.decoder_layers : config.encoder_layers;
  if (kind_ == "learned") weight_ = weights.at(weight, {config.max_positions, width_});
  if (kind_ == "t5") weight_ = weights.at(weight, {kernels::kT5Buckets, heads_});
  if (kind_ == "relative")
    weight_ = weights.at(weight, {layers, 2 * kernels::kRelativeReach + 1, width_ / heads_});
  const bool has_rows =
      effect_ == model::PositionsEffect::kEmbeds || effect_ == model::PositionsEffect::kRotates;
  if (has_rows) usual_ = rows(0, kind_ == "learned" ? weight_.rows() : kUsualLength);
}

Floats StackPositions::rows(int64_t first, int64_t count) const {
  const int64_t head = width_ / heads_, size = kind_ == "rotary" ? head : width_;
  Floats rows(count * size);
  if (kind_ == "sinusoidal") kernels::sinusoids(first, count, width_, rows.data());
  if (kind_ == "rotary") kernels::unit_rotations(first, count, head, rows.data());
  if (kind_ != "learned") return rows;
  expect(first + count <= weight_.rows(), "positions that were learned");
  std::copy_n(weight_.data + first * width_, count * width_, rows.data());
  return rows;
}

const float* StackPositions::row(int64_t position, Floats& room) const {
  const int64_t size = kind_ == "rotary" ? width_ / heads_ : width_;
  if ((position + 1) * size <= std::ssize(usual_)) return usual_.data() + position * size;
  room = rows(position, 1);
  return room.data();
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
