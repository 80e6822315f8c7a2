// Linear self-attention (engine/linear_attention.h) of a Transformer's encoder, and of a decoder's
// steps.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/attend.h"
#include "engine/linear_attention.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/transformer.h"
#include "engine/weights.h"
#include "model/description/kinds.h"

namespace heed::engine {

const float* TransformerDecoder::rotations_of(const StackWeights& side, int64_t position,
                                              Floats& room) const {
  return side.positions.effect() == model::PositionsEffect::kRotates
             ? side.positions.row(position, room)
             : nullptr;
}

void TransformerDecoder::write_linear_weights(const HeadShape& shape, const float* keys_values,
                                              const Look& look, const float* counts, int64_t row,
                                              LayerMap& map) const {
  const int64_t count = std::ssize(look.slots);
  Floats scores(shape.heads * count);
  score_row(queries_.data() + row * shape.inner(), shape, keys_values, look.slots.data(), count, {},
            scores.data());
  for (int64_t h = 0; h < shape.heads; ++h) {
    float* to = map.weights.data() + (row * shape.heads + h) * map.keys + look.first;
    for (int64_t i = 0; i < count; ++i) to[i] = scores[h * count + i] / counts[h];
  }
}

void TransformerDecoder::attend_by_sums(const AttentionWeights& attention, LineFloats& keys_values,
                                        LayerMap* map) {
  const HeadShape& shape = attention.shape;
  const int64_t inner = shape.inner(), stride = 2 * shape.shared();
  context_.resize(rows_ * inner);
  begin_map(shape, map);
  const auto look_of = [&](int64_t row) {
    const auto sentence = std::ranges::upper_bound(sources_, row, {}, &Span::begin) - 1;
    return Look{std::span(all_).subspan(sentence->begin, sentence->count)};
  };
  threads_(sentences(), 1, [&](int64_t first, int64_t last) {
    Floats room, counts(shape.heads);
    for (int64_t s = first; s < last; ++s) {
      Floats sums(sums_width(shape));
      const auto [begin, count] = sources_[s];
      for (int64_t i = 0; i < count; ++i)
        add_to_sums(keys_values.data() + (begin + i) * stride, shape,
                    rotations_of(model_.encoder, i, room), sums.data());
      for (int64_t i = 0; i < count; ++i) {
        const int64_t row = begin + i;
        attend_to_sums(queries_.data() + row * inner, shape, rotations_of(model_.encoder, i, room),
                       sums.data(), counts.data(), context_.data() + row * inner);
        if (map != nullptr)
          write_linear_weights(shape, keys_values.data(), look_of(row), counts.data(), row, *map);
      }
    }
  });
  if (map != nullptr && with_numbers_) tell(shape, keys_values.data(), look_of, *map);
  add_context(attention);
}

void TransformerDecoder::attend_by_sums_of_steps(std::size_t layer) {
  const AttentionWeights& self = model_.decoder.blocks[layer].self;
  const HeadShape& shape = self.shape;
  const int64_t inner = shape.inner(), stride = 2 * shape.shared(), width = sums_width(shape);
  const int64_t kept = caches_.empty() ? 0 : cached_ - rows_;  // rows of earlier steps
  LineFloats& cache = caches_.empty() ? keys_values_ : caches_[layer];
  cache.resize((kept + rows_) * stride);
  float* keys_values = cache.data() + kept * stride;
  products_.take(self.query, before(self.norm), rows_);
  queries_.resize(rows_ * inner);
  products_.product(self.query, queries_.data());
  products_.product(self.keys_values, keys_values);
  context_.resize(rows_ * inner);
  LayerMap* map = add_map(model::AttentionKind::decoder, layer, position_ + 1);
  begin_map(shape, map);
  const auto look_of = [&](int64_t row) { return Look{std::span(history_[row])}; };
  Floats room;
  const float* rotations = rotations_of(model_.decoder, position_, room);
  threads_(rows_, kRowsWorthAThread, [&](int64_t first, int64_t last) {
    Floats counts(shape.heads);
    for (int64_t row = first; row < last; ++row) {
      float* sums = states_[layer].data() + row * width;
      add_to_sums(keys_values + row * stride, shape, rotations, sums);
      attend_to_sums(queries_.data() + row * inner, shape, rotations, sums, counts.data(),
                     context_.data() + row * inner);
      if (map != nullptr)
        write_linear_weights(shape, cache.data(), look_of(row), counts.data(), row, *map);
    }
  });
  if (map != nullptr && with_numbers_) tell(shape, cache.data(), look_of, *map);
  add_context(self);
}

}  // namespace heed::engine
