#include "engine/transformer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "engine/linear_attention.h"
#include "engine/matrix.h"
#include "engine/output_product.h"
#include "engine/threads.h"
#include "kernels/rows/attention.h"
#include "kernels/rows/layer_norm.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/normalisers.h"
#include "kernels/rows/pattern.h"
#include "model/description/begin.h"
#include "model/description/kinds.h"

namespace heed::engine {
namespace {

namespace names = model::names;
using model::AttentionKind;

class TransformerMaker {
 public:
  TransformerMaker(const Weights& weights, const model::ModelConfig& config, WeightFormat numbers)
      : weights_(weights), config_(config), numbers_(numbers) {}

  StackWeights side(bool decoder) const {
    StackWeights side{.embedding = embedding_of(config_, weights_, decoder),
                      .begins_with_zeros = decoder && model::begins_with_zeros(config_),
                      .positions = {config_, weights_, decoder}};
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string feed_forward = names::feed_forward(decoder, layer);
      LayerWeights block;
      const AttentionKind self = decoder ? AttentionKind::decoder : AttentionKind::encoder;
      if (decoder && config_.decoder != model::DecoderKind::attention) {
        block.recurrence = recurrence(layer);
        block.self.norm = norm(names::norm_of_attention(self, layer));
      } else {
        block.self = attention(self, layer);
      }
      if (decoder) block.cross = attention(AttentionKind::cross, layer);
      block.norm = norm(names::norm_of_feed_forward(decoder, layer));
      const int64_t inner = config_.feed_forward;
      block.inner = linear(names::within(feed_forward, names::kInner), inner, config_.width);
      block.outer = linear(names::within(feed_forward, names::kOutput), config_.width, inner);
      side.blocks.push_back(std::move(block));
    }
    if (config_.norm == model::Norm::pre)
      side.norm = norm(names::within(names::stack(decoder), names::kNorm));
    if (config_.embedding_norm) side.embedding_norm = norm(names::embedding_norm(decoder));
    return side;
  }

 private:
  AttentionWeights attention(AttentionKind kind, int64_t layer) const {
    const std::string own = names::attention(kind, layer);
    const std::string projection = names::within(own, names::kProjection);
    AttentionWeights attention;
    attention.norm = norm(names::norm_of_attention(kind, layer));
    attention.kept = model::kept_heads(config_, kind, layer);
    attention.sums =
        kind != AttentionKind::cross &&
        model::self_attention_info(config_.self_attention).weights == model::WeightsOf::kSums;
    const int64_t heads = std::ssize(attention.kept), head = config_.width / config_.heads;
    const bool shares = config_.kv_heads > 0 && config_.kv_heads < config_.heads;
    const bool scales = config_.attention_scale == model::AttentionScale::sqrt;
    attention.shape = {.heads = heads,
                       .kv_heads = shares ? config_.kv_heads : heads,
                       .head = head,
                       .scale = scales && !attention.sums
                                    ? static_cast<float>(1 / std::sqrt(static_cast<double>(head)))
                                    : 1};
    const int64_t inner = attention.shape.inner();
    const bool cross = kind == AttentionKind::cross;
    if (cross)
      attention.shape.weigh = kernels::row_normaliser(config_.attention_normaliser);
    else
      attention.shape.pattern = {.window = config_.sliding_window,
                                 .global = config_.global_tokens,
                                 .stride = config_.attention_stride,
                                 .causal = kind == AttentionKind::decoder};
    const int64_t width = config_.width, both = 2 * attention.shape.shared();
    attention.query = cross ? linear(names::within(own, names::kQuery), inner, width)
                            : linear(projection, inner + both, width, 0, inner);
    attention.keys_values =
        cross ? linear(projection, both, width) : linear(projection, inner + both, width, inner);
    attention.output = linear(names::within(own, names::kOutput), width, inner);
    return attention;
  }
  RecurrenceWeights recurrence(int64_t layer) const {
    const std::string own = names::recurrence(layer),
                      feed_forward = names::within(own, names::kFeedForward);
    const int64_t width = config_.width, inner = config_.feed_forward;
    RecurrenceWeights weights;
    if (config_.decoder == model::DecoderKind::ssru) {
      weights.candidate = make_linear(
          weights_.at(names::within(own, names::kCandidate) + ".weight", {width, width}), nullptr,
          numbers_);
      weights.forget = linear(names::within(own, names::kForget), width, width);
      return weights;
    }
    weights.inner = linear(names::within(feed_forward, names::kInner), inner, width);
    weights.outer = linear(names::within(feed_forward, names::kOutput), width, inner);
    weights.gates = linear(names::within(own, names::kGates), 2 * width, 2 * width);
    return weights;
  }
  LayerNorm norm(const std::string& name) const {
    return {weights_.at(name + ".weight", {config_.width}).copy(),
            weights_.at(name + ".bias", {config_.width}).copy()};
  }
  /// The rows [first, first + count) of a layer [columns, inner], -1: to the end.
  Linear linear(const std::string& name, int64_t columns, int64_t inner, int64_t first = 0,
                int64_t count = -1) const {
    return make_linear(weights_.at(name + ".weight", {columns, inner}),
                       &weights_.at(name + ".bias", {columns}), numbers_, first, count);
  }

  const Weights& weights_;
  const model::ModelConfig& config_;
  WeightFormat numbers_;
};

using Transformer = NetworkOf<TransformerWeights, TransformerDecoder>;

constexpr int64_t kSteps = 256;  // steps for which distances are made at first

}  // namespace

bool has_transformer(const model::ModelConfig& config) {
  const model::WeightsOf weights = model::self_attention_info(config.self_attention).weights;
  return kernels::row_normaliser(config.attention_normaliser) != nullptr &&
         has_positions(config.positions) &&
         (weights == model::WeightsOf::kProducts || weights == model::WeightsOf::kSums);
}

std::unique_ptr<Network> make_transformer(const model::ModelConfig& config, const Weights& weights,
                                          WeightFormat numbers) {
  const TransformerMaker maker(weights, config, numbers);
  return std::make_unique<Transformer>(TransformerWeights{
      config, maker.side(false), maker.side(true), output_of(config, weights, numbers)});
}

TransformerDecoder::TransformerDecoder(const TransformerWeights& weights, const SourceBatch& source,
                                       const Threads& threads, LayerMaps* maps, bool with_numbers)
    : model_(weights),
      threads_(threads),
      maps_(maps),
      with_numbers_(with_numbers),
      products_(threads),
      output_(weights.output, source.lists, products_),
      width_(weights.config.width),
      epsilon_(static_cast<float>(weights.config.norm_epsilon)),
      pre_(weights.config.norm == model::Norm::pre) {
  if (maps_ != nullptr) maps_->clear();
  encode(source);
  history_.resize(sources_.size());
  const std::size_t layers = model_.decoder.blocks.size();
  const AttentionWeights& self = model_.decoder.blocks.front().self;
  const bool recurs = weights.config.decoder != model::DecoderKind::attention;
  if (recurs || self.sums) {
    for (const LayerWeights& block : model_.decoder.blocks)
      states_.emplace_back(sentences() * (recurs ? width_ : sums_width(block.self.shape)));
  }
  // Sums need the keys of all steps only for maps of attention.
  if (!recurs && (!self.sums || maps_ != nullptr)) caches_.resize(layers);
}

void TransformerDecoder::encode(const SourceBatch& source) {
  source_length_ = source.length;
  sources_ = spans_of(source);
  rows_ = sources_.back().begin + sources_.back().count;
  all_.resize(rows_);
  std::iota(all_.begin(), all_.end(), 0);
  x_.resize(rows_ * width_);
  std::vector<Span> looks(rows_);  // of each row
  std::vector<int64_t> positions(rows_);
  const kernels::Pattern& pattern = model_.encoder.blocks.front().self.shape.pattern;
  for (int64_t s = 0; s < sentences(); ++s)
    for (int64_t i = 0; i < sources_[s].count; ++i) {
      const int64_t row = sources_[s].begin + i;
      embed(model_.encoder, source.tokens[s * source_length_ + i], i, x_.data() + row * width_);
      const kernels::KeyRange seen = pattern.range(i, sources_[s].count);
      looks[row] = {sources_[s].begin + seen.begin, seen.count()};
      positions[row] = i;
    }
  LineFloats keys_values;
  const std::vector<LayerDistances> distances = distances_of(model_.encoder, source_length_);
  for (std::size_t layer = 0; layer < model_.encoder.blocks.size(); ++layer) {
    const LayerWeights& block = model_.encoder.blocks[layer];
    const HeadShape& shape = block.self.shape;
    products_.take(block.self.query, before(block.self.norm), rows_);
    queries_.resize(rows_ * shape.inner());
    keys_values.resize(rows_ * 2 * shape.shared());
    products_.product(block.self.query, queries_.data());
    products_.product(block.self.keys_values, keys_values.data());
    LayerMap* map = add_map(model::AttentionKind::encoder, layer, source_length_);
    if (block.self.sums) {
      attend_by_sums(block.self, keys_values, map);
      feed_forward(block);
      continue;
    }
    if (model_.encoder.positions.effect() == model::PositionsEffect::kRotates)
      for (int64_t row = 0; row < rows_; ++row) {
        const StackWeights& side = model_.encoder;
        rotate(side, queries_, row, 1, shape.inner(), shape.heads, positions[row]);
        rotate(side, keys_values, row, 1, 2 * shape.shared(), shape.kv_heads, positions[row]);
      }
    attend(
        block.self, keys_values.data(),
        [&](int64_t row) {
          const auto [begin, count] = looks[row];
          const int64_t away = begin - row;  // rows of a sentence are beside each other
          return Look{std::span(all_).subspan(begin, count), positions[row] + away,
                      distances[layer].from(away)};
        },
        map);
    feed_forward(block);
  }
  const float* encoded = x_.data();
  if (pre_) encoded = before(model_.encoder.norm);
  for (const LayerWeights& block : model_.decoder.blocks) {
    LineFloats& memory = memory_.emplace_back(rows_ * 2 * block.cross.shape.shared());
    products_.product(block.cross.keys_values, encoded, rows_, memory.data());
  }
}

OutputProduct& TransformerDecoder::step(const int64_t* tokens, int64_t beam, Floats* attention) {
  rows_ = sentences() * beam;
  expect(static_cast<int64_t>(history_.size()) == rows_, "as many tokens as hypotheses");
  x_.resize(rows_ * width_);
  for (int64_t row = 0; row < rows_; ++row)
    embed(model_.decoder, tokens[row], position_, x_.data() + row * width_);
  if (!caches_.empty()) add_slots();
  const auto look_at_source = [&](int64_t row) {
    const Span span = sources_[row / beam];
    return Look{std::span(all_).subspan(span.begin, span.count)};
  };
  if (maps_ != nullptr) maps_->clear();
  LayerMap last{.keys = source_length_};
  for (std::size_t layer = 0; layer < memory_.size(); ++layer) {
    const LayerWeights& block = model_.decoder.blocks[layer];
    if (states_.empty())
      attend_to_steps(layer);
    else if (block.self.sums)
      attend_by_sums_of_steps(layer);
    else
      recur(block, states_[layer]);
    queries_.resize(rows_ * block.cross.shape.inner());
    products_.product(block.cross.query, before(block.cross.norm), rows_, queries_.data());
    LayerMap* map = add_map(model::AttentionKind::cross, layer, source_length_);
    if (map == nullptr && attention != nullptr && layer + 1 == memory_.size()) map = &last;
    attend(block.cross, memory_[layer].data(), look_at_source, map);
    if (map != nullptr && attention != nullptr) *attention = map->mean();
    feed_forward(block);
  }
  ++position_;
  output_.take(before(model_.decoder.norm), rows_);
  return output_;
}

/// Adds a slot for each row of this step.
void TransformerDecoder::add_slots() {
  for (int64_t row = 0; row < rows_; ++row)
    history_[row].push_back(static_cast<int32_t>(cached_ + row));
  cached_ += rows_;
  if (position_ < steps_end_) return;
  steps_end_ = std::max<int64_t>(kSteps, 2 * steps_end_);
  steps_ = distances_of(model_.decoder, steps_end_);
}

void TransformerDecoder::attend_to_steps(std::size_t layer) {
  const AttentionWeights& self = model_.decoder.blocks[layer].self;
  const HeadShape& shape = self.shape;
  const int64_t slot = cached_ - rows_;
  const kernels::KeyRange seen = shape.pattern.range(position_, position_ + 1);
  LineFloats& cache = caches_[layer];
  cache.resize(cached_ * 2 * shape.shared());
  products_.take(self.query, before(self.norm), rows_);
  queries_.resize(rows_ * shape.inner());
  products_.product(self.query, queries_.data());
  products_.product(self.keys_values, cache.data() + slot * 2 * shape.shared());
  if (model_.decoder.positions.effect() == model::PositionsEffect::kRotates) {
    rotate(model_.decoder, queries_, 0, rows_, shape.inner(), shape.heads, position_);
    rotate(model_.decoder, cache, slot, rows_, 2 * shape.shared(), shape.kv_heads, position_);
  }
  attend(
      self, cache.data(),
      [&](int64_t row) {  // the last key is the query's own
        return Look{std::span(history_[row]).subspan(seen.begin, seen.count()), seen.begin,
                    steps_[layer].from(1 - seen.count())};
      },
      add_map(model::AttentionKind::decoder, layer, position_ + 1));
}

void TransformerDecoder::reorder(std::span<const int64_t> sentences,
                                 std::span<const int64_t> hypotheses) {
  const int64_t before = std::ssize(history_);
  for (Floats& state : states_) choose_rows(state, std::ssize(state) / before, hypotheses);
  choose(history_, hypotheses);
  if (!sentences.empty()) choose(sources_, sentences);
  output_.reorder(sentences);
}

std::vector<LayerDistances> TransformerDecoder::distances_of(const StackWeights& side,
                                                             int64_t length) {
  std::vector<LayerDistances> layers;
  for (const LayerWeights& block : side.blocks)
    layers.push_back(side.positions.by_distance(std::ssize(layers), length, block.self.kept));
  return layers;
}

void TransformerDecoder::embed(const StackWeights& side, int64_t token, int64_t position,
                               float* to) const {
  expect(token >= 0 && token < side.embedding.rows(), "a piece of the vocabulary");
  Floats room;
  const bool embeds = side.positions.effect() == model::PositionsEffect::kEmbeds;
  const float* added = embeds ? side.positions.row(position, room) : nullptr;
  const auto scale = static_cast<float>(std::sqrt(static_cast<double>(width_)));
  if (side.begins_with_zeros && position == 0)
    std::fill_n(to, width_, 0.0F);
  else
    side.embedding.copy_row(token, to);
  kernels::scale_and_add(to, scale, added, width_, to);
  if (const LayerNorm& norm = side.embedding_norm; !norm.gamma.empty())
    kernels::normalise_rows(to, 1, width_, norm.gamma.data(), norm.beta.data(), epsilon_, to);
}

void TransformerDecoder::rotate(const StackWeights& side, LineFloats& x, int64_t first,
                                int64_t rows, int64_t stride, int64_t heads, int64_t position) {
  Floats room;
  const float* rotations = side.positions.row(position, room);
  for (int64_t row = first; row < first + rows; ++row)
    rotate_heads(x.data() + row * stride, heads, width_ / model_.config.heads, rotations);
}

/// The input of a sublayer: the norm of x, or x itself.
const float* TransformerDecoder::before(const LayerNorm& norm) {
  if (!pre_) return x_.data();
  normed_.resize(x_.size());
  kernels::normalise_rows(x_.data(), rows_, width_, norm.gamma.data(), norm.beta.data(), epsilon_,
                          normed_.data());
  return normed_.data();
}

void TransformerDecoder::after(const LayerNorm& norm) {
  if (!pre_)
    kernels::normalise_rows(x_.data(), rows_, width_, norm.gamma.data(), norm.beta.data(), epsilon_,
                            x_.data());
}

void TransformerDecoder::inner_layer(const Linear& inner, const float* x) {
  const model::Activation activation = model_.config.activation;
  inner_.resize(rows_ * inner.matrix.columns());
  products_.product(inner, x, rows_, inner_.data(),
                    {.relu = activation == model::Activation::relu});
  if (activation == model::Activation::gelu) kernels::gelu(inner_.data(), std::ssize(inner_));
  if (activation == model::Activation::silu) kernels::silu(inner_.data(), std::ssize(inner_));
}

void TransformerDecoder::feed_forward(const LayerWeights& block) {
  inner_layer(block.inner, before(block.norm));
  products_.product(block.outer, inner_.data(), rows_, x_.data(), {.add = true});
  after(block.norm);
}

LayerMap* TransformerDecoder::add_map(model::AttentionKind kind, int64_t layer, int64_t keys) {
  if (maps_ == nullptr) return nullptr;
  maps_->push_back({.kind = kind, .layer = layer, .keys = keys});
  return &maps_->back();
}

void TransformerDecoder::begin_map(const HeadShape& shape, LayerMap* map) const {
  if (map == nullptr) return;
  map->heads = shape.heads;
  map->weights.assign(rows_ * shape.heads * map->keys, 0.0F);
}

/// x += output(attention of queries_ over the rows of `keys_values` that each looks at).
template <class LookOf>
void TransformerDecoder::attend(const AttentionWeights& attention, const float* keys_values,
                                const LookOf& look_of, LayerMap* map) {
  const HeadShape& shape = attention.shape;
  const int64_t inner = shape.inner();
  context_.resize(rows_ * inner);
  begin_map(shape, map);
  threads_(rows_, kRowsWorthAThread, [&](int64_t first, int64_t last) {
    Floats room;
    for (int64_t row = first; row < last; ++row) {
      const Look look = look_of(row);
      const int64_t count = std::ssize(look.slots);
      room.resize(std::max<std::size_t>(room.size(), shape.heads * count));
      attend_row(queries_.data() + row * inner, shape, keys_values, look.slots.data(), count,
                 look.distances, room.data(), context_.data() + row * inner);
      if (map == nullptr) continue;
      for (int64_t h = 0; h < shape.heads; ++h)
        std::copy_n(room.data() + h * count, count,
                    map->weights.data() + (row * shape.heads + h) * map->keys + look.first);
    }
  });
  if (map != nullptr && with_numbers_) tell(shape, keys_values, look_of, *map);
  add_context(attention);
}

void TransformerDecoder::add_context(const AttentionWeights& attention) {
  products_.product(attention.output, context_.data(), rows_, x_.data(), {.add = true});
  after(attention.norm);
}

void TransformerDecoder::tell(const HeadShape& shape, const float* keys_values,
                              const std::function<Look(int64_t row)>& look_of,
                              LayerMap& map) const {
  const int64_t inner = shape.inner(), head = shape.head, group = shape.heads / shape.kv_heads;
  HeadNumbers& numbers = map.numbers;
  numbers.factor = shape.scale;
  numbers.width = head;
  numbers.queries.assign(queries_.begin(), queries_.begin() + rows_ * inner);
  numbers.context.assign(context_.begin(), context_.begin() + rows_ * inner);
  numbers.keys.assign(map.keys * inner, 0.0F);
  numbers.values.assign(map.keys * inner, 0.0F);
  numbers.scores.assign(map.weights.size(), -std::numeric_limits<float>::infinity());
  numbers.weights = map.weights;
  for (int64_t row = 0; row < rows_; ++row) {
    const Look look = look_of(row);
    const int64_t count = std::ssize(look.slots);
    Floats scores(shape.heads * count);
    score_row(queries_.data() + row * inner, shape, keys_values, look.slots.data(), count,
              look.distances, scores.data());
    for (int64_t h = 0; h < shape.heads; ++h)
      for (int64_t i = 0; i < count; ++i) {
        const int64_t key = look.first + i;
        numbers.scores[(row * shape.heads + h) * map.keys + key] = scores[h * count + i];
        const float* from = keys_values + look.slots[i] * 2 * shape.shared() + h / group * head;
        const int64_t to = (h * map.keys + key) * head;
        std::copy_n(from, head, numbers.keys.begin() + to);
        std::copy_n(from + shape.shared(), head, numbers.values.begin() + to);
      }
  }
}

}  // namespace heed::engine
