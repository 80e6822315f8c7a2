// A decoder's recurrence (model/transformer/recurrence.h), step by step.

#include <algorithm>
#include <cstdint>

#include "engine/matrix.h"
#include "engine/transformer.h"
#include "engine/weights.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/recurrence.h"
#include "model/description/config.h"

namespace heed::engine {

/// x += o of the sublayer's input; `state` [rows, width] becomes that of this step.
void TransformerDecoder::recur(const LayerWeights& block, Floats& state) {
  const bool is_ssru = model_.config.decoder == model::DecoderKind::ssru;
  const float* y = before(block.self.norm);
  is_ssru ? add_ssru(block.recurrence, y, state) : add_average(block.recurrence, y, state);
  after(block.self.norm);
}

void TransformerDecoder::add_ssru(const RecurrenceWeights& weights, const float* y, Floats& state) {
  LineFloats& candidate = queries_;
  Floats &forget = gates_, &output = context_;
  candidate.resize(x_.size());
  forget.resize(x_.size());
  output.resize(x_.size());
  products_.take(weights.candidate, y, rows_);
  products_.product(weights.candidate, candidate.data());
  products_.product(weights.forget, forget.data());
  for (int64_t at = 0; at < std::ssize(state); at += width_)
    kernels::RecurrentRow<float>::ssru(candidate.data() + at, forget.data() + at, state.data() + at,
                                       state.data() + at, output.data() + at, width_);
  kernels::scale_and_add(output.data(), 1, x_.data(), std::ssize(x_), x_.data());
}

void TransformerDecoder::add_average(const RecurrenceWeights& weights, const float* y,
                                     Floats& state) {
  LineFloats& mean = queries_;
  Floats& both = context_;  // y and g, [rows, 2 * width]
  mean.resize(x_.size());
  both.resize(2 * x_.size());
  gates_.resize(2 * x_.size());
  kernels::scale_and_add(y, 1, state.data(), std::ssize(state), state.data());
  kernels::scale_and_add(state.data(), 1 / static_cast<float>(position_ + 1), nullptr,
                         std::ssize(state), mean.data());
  inner_layer(weights.inner, mean.data());
  LineFloats& g = mean;
  products_.product(weights.outer, inner_.data(), rows_, g.data());
  for (int64_t row = 0; row < rows_; ++row) {
    std::copy_n(y + row * width_, width_, both.data() + 2 * row * width_);
    std::copy_n(g.data() + row * width_, width_, both.data() + (2 * row + 1) * width_);
  }
  products_.product(weights.gates, both.data(), rows_, gates_.data());
  for (int64_t row = 0; row < rows_; ++row)
    kernels::add_gated(gates_.data() + 2 * row * width_, y + row * width_, g.data() + row * width_,
                       width_, x_.data() + row * width_);
}

}  // namespace heed::engine
