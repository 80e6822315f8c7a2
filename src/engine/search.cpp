#include "engine/search.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "kernels/rows/pattern.h"
#include "kernels/rows/step.h"
#include "model/transformer/layers.h"

namespace heed::engine {
namespace {

constexpr auto kEpsilon = static_cast<float>(model::kNormEpsilon);
constexpr int64_t kWorthAThread = 1 << 19;  // multiplications that pay for waking one
constexpr int64_t kRowsWorthAThread = 16;
constexpr int64_t kSteps = 256;  // that distances are made for at first

}  // namespace

BatchDecoder::BatchDecoder(const Transformer& model, const model::Source& source)
    : model_(model), width_(model.config_.width), pre_(model.config_.norm == model::Norm::pre) {
  encode(source);
  caches_.resize(model_.decoder_.blocks.size());
  history_.resize(sources_.size());
}

void BatchDecoder::encode(const model::Source& source) {
  source_length_ = source.tokens.size(1);
  const Tensor tokens = source.tokens.contiguous();
  const int64_t* ids = tokens.const_data_ptr<int64_t>();
  const int64_t* lengths = source.lengths.const_data_ptr<int64_t>();
  // Sentences one after another, without padding.
  for (int64_t s = 0; s < tokens.size(0); ++s) {
    expect(lengths[s] >= 1, "each sentence has its eos at least");
    sources_.push_back({rows_, lengths[s]});
    rows_ += lengths[s];
  }
  all_.resize(rows_);
  std::iota(all_.begin(), all_.end(), 0);
  x_.resize(rows_ * width_);
  std::vector<Span> looks(rows_);  // of each row
  std::vector<int64_t> positions(rows_);
  const kernels::Pattern& pattern = model_.encoder_.blocks.front().self.pattern;
  for (int64_t s = 0; s < sentences(); ++s)
    for (int64_t i = 0; i < sources_[s].count; ++i) {
      const int64_t row = sources_[s].begin + i;
      embed(model_.encoder_, ids[s * source_length_ + i], i, x_.data() + row * width_);
      const kernels::KeyRange seen = pattern.range(i, sources_[s].count);
      looks[row] = {sources_[s].begin + seen.begin, seen.count()};
      positions[row] = i;
    }
  Floats keys_values;
  const std::vector<LayerDistances> distances = distances_of(model_.encoder_, source_length_);
  for (std::size_t layer = 0; layer < model_.encoder_.blocks.size(); ++layer) {
    const LayerWeights& block = model_.encoder_.blocks[layer];
    const HeadShape& shape = block.self.shape;
    take(block.self.query, before(block.self.norm), rows_);
    queries_.resize(rows_ * shape.inner());
    keys_values.resize(rows_ * 2 * shape.shared());
    product(block.self.query, queries_.data());
    product(block.self.keys_values, keys_values.data());
    if (model_.encoder_.rotations.any())
      for (int64_t row = 0; row < rows_; ++row) {
        const StackWeights& side = model_.encoder_;
        rotate(side, queries_, row, 1, shape.inner(), shape.heads, positions[row]);
        rotate(side, keys_values, row, 1, 2 * shape.shared(), shape.kv_heads, positions[row]);
      }
    attend(
        block.self, keys_values.data(),
        [&](int64_t row) {
          return std::span<const int32_t>(all_).subspan(looks[row].begin, looks[row].count);
        },
        [&](int64_t row, int64_t) {  // the row of position p is p rows behind its sentence's first
          return distances[layer].from(looks[row].begin - row);
        });
    feed_forward(block);
  }
  const float* encoded = x_.data();
  if (pre_) encoded = before(model_.encoder_.norm);
  for (const LayerWeights& block : model_.decoder_.blocks) {
    take(block.cross.keys_values, encoded, rows_);
    memory_.emplace_back(rows_ * 2 * block.cross.shape.shared());
    product(block.cross.keys_values, memory_.back().data());
  }
}

float* BatchDecoder::step(const int64_t* tokens, int64_t beam, std::vector<float>* attention) {
  rows_ = sentences() * beam;
  expect(static_cast<int64_t>(history_.size()) == rows_, "as many tokens as hypotheses");
  x_.resize(rows_ * width_);
  for (int64_t row = 0; row < rows_; ++row)
    embed(model_.decoder_, tokens[row], position_, x_.data() + row * width_);
  const int64_t place = cached_;
  cached_ += rows_;
  for (int64_t row = 0; row < rows_; ++row)
    history_[row].push_back(static_cast<int32_t>(place + row));
  const bool rotary = model_.decoder_.rotations.any();
  if (position_ >= steps_end_) {
    steps_end_ = std::max<int64_t>(kSteps, 2 * steps_end_);
    steps_ = distances_of(model_.decoder_, steps_end_);
  }
  const kernels::KeyRange seen =
      model_.decoder_.blocks.front().self.pattern.range(position_, position_ + 1);
  const auto steps = [&](int64_t row) {
    return std::span<const int32_t>(history_[row]).subspan(seen.begin, seen.count());
  };
  const auto sources = [&](int64_t row) {
    const Span span = sources_[row / beam];
    return std::span<const int32_t>(all_).subspan(span.begin, span.count);
  };
  for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
    const LayerWeights& block = model_.decoder_.blocks[layer];
    const HeadShape& shape = block.self.shape;
    Floats& cache = caches_[layer];
    cache.resize(cached_ * 2 * shape.shared());
    take(block.self.query, before(block.self.norm), rows_);
    queries_.resize(rows_ * shape.inner());
    product(block.self.query, queries_.data());
    product(block.self.keys_values, cache.data() + place * 2 * shape.shared());
    if (rotary) {
      rotate(model_.decoder_, queries_, 0, rows_, shape.inner(), shape.heads, position_);
      rotate(model_.decoder_, cache, place, rows_, 2 * shape.shared(), shape.kv_heads, position_);
    }
    attend(block.self, cache.data(), steps, [&](int64_t, int64_t count) {
      return steps_[layer].from(1 - count);  // the last key is the query's own
    });

    take(block.cross.query, before(block.cross.norm), rows_);
    queries_.resize(rows_ * block.cross.shape.inner());
    product(block.cross.query, queries_.data());
    attend(
        block.cross, memory_[layer].data(), sources,
        [](int64_t, int64_t) { return RowDistances{}; },
        layer + 1 == caches_.size() ? attention : nullptr);
    feed_forward(block);
  }
  ++position_;
  take(model_.output_, pre_ ? before(model_.decoder_.norm) : x_.data(), rows_);
  logits_.resize(rows_ * vocabulary());
  product(model_.output_, logits_.data());
  return logits_.data();
}

void BatchDecoder::go_on_with(const Tensor& kept, const Tensor& hypotheses) {
  const auto* const rows = hypotheses.const_data_ptr<int64_t>();
  std::vector<Slots> history;
  for (int64_t i = 0; i < hypotheses.numel(); ++i) history.push_back(history_[rows[i]]);
  history_ = std::move(history);
  if (!kept.defined()) return;
  const auto* const sentences = kept.const_data_ptr<int64_t>();
  std::vector<Span> sources;
  for (int64_t i = 0; i < kept.numel(); ++i) sources.push_back(sources_[sentences[i]]);
  sources_ = std::move(sources);
}

std::vector<BatchDecoder::LayerDistances> BatchDecoder::distances_of(const StackWeights& side,
                                                                     int64_t length) {
  const at::NoGradGuard no_grad;
  std::vector<LayerDistances> layers(side.blocks.size());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const auto scores = side.positions->by_distance(static_cast<int64_t>(layer), length,
                                                    side.blocks[layer].self.kept);
    layers[layer] = {.numbers = numbers_of(scores.numbers),
                     .vectors = numbers_of(scores.vectors),
                     .reach = scores.reach};
  }
  return layers;
}

template <class Make>
const float* BatchDecoder::row_at(const PositionRows& rows, int64_t position, Floats& room,
                                  const Make& make) {
  if ((position + 1) * rows.size <= std::ssize(rows.numbers))
    return rows.numbers.data() + position * rows.size;
  room = numbers_of(make());
  return room.data();
}

void BatchDecoder::embed(const StackWeights& side, int64_t token, int64_t position,
                         float* to) const {
  Floats room;
  const float* positions = nullptr;
  if (side.vectors.any())
    positions =
        row_at(side.vectors, position, room, [&] { return side.positions->vectors(position, 1); });
  expect(token >= 0 && token < side.embedding.size(0), "a piece of the vocabulary");
  const auto scale = static_cast<float>(std::sqrt(static_cast<double>(width_)));
  kernels::scale_and_add(side.embedding.const_data_ptr<float>() + token * width_, scale, positions,
                         width_, to);
}

void BatchDecoder::rotate(const StackWeights& side, Floats& x, int64_t first, int64_t rows,
                          int64_t stride, int64_t heads, int64_t position) {
  Floats room;
  const float* rotations = row_at(side.rotations, position, room, [&] {
    return at::view_as_real(side.positions->rotations(position, 1));
  });
  for (int64_t row = first; row < first + rows; ++row)
    rotate_heads(x.data() + row * stride, heads, side.rotations.size, rotations);
}

void BatchDecoder::take(const Linear& linear, const float* x, int64_t rows) {
  taken_.take(x, rows, linear.matrix.inner(), linear.matrix.numbers());
}

void BatchDecoder::product(const Linear& linear, float* to, Finish finish) {
  finish.bias = linear.bias.data();
  const int64_t each = taken_.count() * linear.matrix.inner() * Matrix::kPanel;
  at::parallel_for(0, linear.matrix.panels(), 1 + kWorthAThread / each,
                   [&](int64_t first, int64_t last) {
                     multiply(taken_, linear.matrix, finish, to, first, last);
                   });
}

/// What a sublayer reads: the norm of x, or x itself.
const float* BatchDecoder::before(const LayerNorm& norm) {
  if (!pre_) return x_.data();
  normed_.resize(x_.size());
  kernels::normalise_rows(x_.data(), rows_, width_, norm.gamma.data(), norm.beta.data(), kEpsilon,
                          normed_.data());
  return normed_.data();
}

void BatchDecoder::after(const LayerNorm& norm) {
  if (!pre_)
    kernels::normalise_rows(x_.data(), rows_, width_, norm.gamma.data(), norm.beta.data(), kEpsilon,
                            x_.data());
}

void BatchDecoder::feed_forward(const LayerWeights& block) {
  const model::Activation activation = model_.config_.activation;
  const int64_t width = block.inner.matrix.columns();
  take(block.inner, before(block.norm), rows_);
  inner_.resize(rows_ * width);
  product(block.inner, inner_.data(), {.relu = activation == model::Activation::relu});
  if (activation == model::Activation::gelu) kernels::gelu(inner_.data(), rows_ * width);
  if (activation == model::Activation::silu) kernels::silu(inner_.data(), rows_ * width);
  take(block.outer, inner_.data(), rows_);
  product(block.outer, x_.data(), {.add = true});
  after(block.norm);
}

/// x += output(attention of queries_ over the rows of `keys_values` at slots(row)).
template <class SlotsOf, class DistancesOf>
void BatchDecoder::attend(const AttentionWeights& attention, const float* keys_values,
                          const SlotsOf& slots, const DistancesOf& distances,
                          std::vector<float>* weights) {
  const HeadShape& shape = attention.shape;
  const int64_t inner = shape.inner();
  context_.resize(rows_ * inner);
  if (weights) weights->assign(rows_ * source_length_, 0);
  at::parallel_for(0, rows_, kRowsWorthAThread, [&](int64_t first, int64_t last) {
    Floats room;
    for (int64_t row = first; row < last; ++row) {
      const std::span<const int32_t> at = slots(row);
      const auto count = static_cast<int64_t>(at.size());
      room.resize(std::max<std::size_t>(room.size(), shape.heads * count));
      attend_row(queries_.data() + row * inner, shape, keys_values, at.data(), count,
                 distances(row, count), room.data(), context_.data() + row * inner);
      if (!weights) continue;
      for (int64_t h = 0; h < shape.heads; ++h)
        for (int64_t i = 0; i < count; ++i)
          (*weights)[row * source_length_ + i] +=
              room[h * count + i] / static_cast<float>(shape.heads);
    }
  });
  take(attention.output, context_.data(), rows_);
  product(attention.output, x_.data(), {.add = true});
  after(attention.norm);
}

}  // namespace heed::engine
