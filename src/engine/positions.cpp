#include "engine/positions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "kernels/rows/positions.h"

namespace heed::engine {
namespace {

using Stack = StackPositions::Stack;
using Heads = std::vector<int64_t>;

constexpr int64_t kUsualLength = 256;  // more would delay the start

Floats sinusoid_rows(const Stack& stack, int64_t first, int64_t count) {
  Floats rows(count * stack.width);
  kernels::sinusoids(first, count, stack.width, rows.data());
  return rows;
}

Floats halved_sinusoid_rows(const Stack& stack, int64_t first, int64_t count) {
  Floats rows(count * stack.width);
  kernels::halved_sinusoids(first, count, stack.width, rows.data());
  return rows;
}

Floats rotation_rows(const Stack& stack, int64_t first, int64_t count) {
  Floats rows(count * stack.head());
  kernels::unit_rotations(first, count, stack.head(), rows.data());
  return rows;
}

std::vector<int64_t> learned_shape(const Stack& stack) {
  return {stack.longest, stack.width};
}

Floats learned_rows(const Stack& stack, int64_t first, int64_t count) {
  expect(first + count <= stack.weight.rows(), "positions that were learned");
  const float* const begin = stack.weight.data + first * stack.width;
  return {begin, begin + count * stack.width};
}

LayerDistances alibi_distances(const Stack& stack, int64_t, int64_t farthest, const Heads& heads) {
  LayerDistances distances{.numbers = {}, .vectors = {}, .reach = farthest};
  const std::vector<double> slopes = kernels::alibi_slopes(stack.heads);
  for (const int64_t head : heads)
    for (int64_t away = -farthest; away <= farthest; ++away)
      distances.numbers.push_back(
          static_cast<float>(-slopes[head] * static_cast<double>(std::abs(away))));
  return distances;
}

std::vector<int64_t> t5_shape(const Stack& stack) {
  return {kernels::kT5Buckets, stack.heads};
}

LayerDistances t5_distances(const Stack& stack, int64_t, int64_t farthest, const Heads& heads) {
  const int64_t reach = std::min(farthest, kernels::kT5Farthest);
  LayerDistances distances{.numbers = {}, .vectors = {}, .reach = reach};
  for (const int64_t head : heads)
    for (int64_t away = -reach; away <= reach; ++away)
      distances.numbers.push_back(
          stack.weight.data[kernels::t5_bucket(away, stack.causal) * stack.heads + head]);
  return distances;
}

std::vector<int64_t> relative_shape(const Stack& stack) {
  return {stack.layers, 2 * kernels::kRelativeReach + 1, stack.head()};
}

LayerDistances relative_distances(const Stack& stack, int64_t layer, int64_t, const Heads&) {
  const int64_t count = (2 * kernels::kRelativeReach + 1) * stack.head();
  const float* const vectors = stack.weight.data + layer * count;
  return {.numbers = {}, .vectors = {vectors, vectors + count}, .reach = kernels::kRelativeReach};
}

}  // namespace

/// The functions of one kind; null where it needs none.
struct PlainPositions {
  /// The shape of its weights, as model::Positions registers them.
  std::vector<int64_t> (*shape)(const Stack& stack) = nullptr;
  /// The rows of the positions [first, first + count), each as StackPositions::row().
  Floats (*rows)(const Stack& stack, int64_t first, int64_t count) = nullptr;
  /// The numbers by distance, as StackPositions::by_distance(); `farthest` is the largest distance
  /// in a sentence.
  LayerDistances (*by_distance)(const Stack& stack, int64_t layer, int64_t farthest,
                                const Heads& heads) = nullptr;
};

namespace {

// The names in the lines of model/transformer/positions/registry.def.
constexpr PlainPositions kTensors{};  // LibTorch alone computes it
constexpr PlainPositions kNone{};
constexpr PlainPositions kSinusoidal{.rows = sinusoid_rows};
constexpr PlainPositions kTensor2tensor{.rows = halved_sinusoid_rows};
constexpr PlainPositions kRotary{.rows = rotation_rows};
constexpr PlainPositions kLearned{.shape = learned_shape, .rows = learned_rows};
constexpr PlainPositions kAlibi{.by_distance = alibi_distances};
constexpr PlainPositions kT5{.shape = t5_shape, .by_distance = t5_distances};
constexpr PlainPositions kRelative{.shape = relative_shape, .by_distance = relative_distances};

const PlainPositions* plain_positions(const std::string& kind) {
  static const std::map<std::string, const PlainPositions*> all = {
#define HEED_POSITIONS(name, effect, plain, help) {#name, &plain},
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS
  };
  const auto found = all.find(kind);
  return found == all.end() ? &kTensors : found->second;
}

}  // namespace

StackPositions::StackPositions(const model::ModelConfig& config, const Weights& weights,
                               bool decoder) {
  const std::string kind = model::positions_of_side(config, decoder);
  plain_ = plain_positions(kind);
  effect_ = model::positions_info(kind).effect;
  stack_ = {.width = config.width,
            .heads = config.heads,
            .layers = decoder ? config.decoder_layers : config.encoder_layers,
            .longest = config.max_positions,
            .causal = decoder};
  const char* name = decoder ? model::names::kTargetPositions : model::names::kSourcePositions;
  const bool learns = plain_->shape != nullptr;
  if (learns)
    stack_.weight = weights.at(model::names::within(name, "weight"), plain_->shape(stack_));
  if (plain_->rows != nullptr)
    usual_ = plain_->rows(stack_, 0, learns ? stack_.weight.rows() : kUsualLength);
}

const float* StackPositions::row(int64_t position, Floats& room) const {
  const bool rotates = effect_ == model::PositionsEffect::kRotates;
  const int64_t size = rotates ? stack_.head() : stack_.width;
  if ((position + 1) * size <= std::ssize(usual_)) return usual_.data() + position * size;
  room = plain_->rows(stack_, position, 1);
  return room.data();
}

LayerDistances StackPositions::by_distance(int64_t layer, int64_t length,
                                           const std::vector<int64_t>& heads) const {
  if (plain_->by_distance == nullptr) return {};
  return plain_->by_distance(stack_, layer, std::max<int64_t>(length - 1, 0), heads);
}

bool has_positions(const std::string& kind) {
  return plain_positions(kind) != &kTensors;
}

}  // namespace heed::engine
