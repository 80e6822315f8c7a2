#include "model/transformer/attention/attention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "base/error.h"
#include "kernels/varlen_attention.h"
#include "model/transformer/blocks.h"

namespace heed::model {

void require_sound(const MultiHeadOptions& options) {
  expect(options.width % options.heads == 0, "the heads divide the width");
  expect(options.count() % options.kv() == 0, "the kv heads divide the heads");
}

double MultiHeadOptions::factor() const {
  return scale == AttentionScale::sqrt ? 1 / std::sqrt(static_cast<double>(head())) : 1;
}

AttentionMask MultiHeadOptions::masking(const Tensor& valid, bool training) const {
  return {
      .valid = valid, .scale = factor(), .dropout = training ? dropout : 0, .normalise = normalise};
}

kernels::UnpaddedHeads MultiHeadOptions::unpadded_heads(const SentenceLayout& queries,
                                                        const SentenceLayout& keys) const {
  return {.query_lengths = queries.lengths,
          .key_lengths = keys.lengths,
          .heads = count(),
          .kv_heads = kv(),
          .head = head()};
}

Tensor split_heads(const Tensor& x, int64_t head) {
  return x.unflatten(-1, {-1, head});
}

Tensor join_heads(const Tensor& x) {
  return x.transpose(1, 2).flatten(2);
}

Tensor attend_varlen(const Tensor& query, const Tensor& keys, const Tensor& values,
                     const SentenceLayout& queries, const SentenceLayout& memory,
                     const AttentionMask& masking) {
  return kernels::varlen_attention(
             query, keys, values, {queries.starts, queries.longest},
             {memory.starts, memory.longest},
             {.pattern = masking.pattern, .scale = masking.scale, .dropout = masking.dropout})
      .flatten(1);
}

SelfAttention::SelfAttention(const MultiHeadOptions& options, const LayerIndex& index)
    : options_(options),
      positions_(index.positions ? index.positions : std::make_shared<const Positions>()),
      layer_(index.layer),
      projection_(nullptr),
      output_(nullptr) {
  require_sound(options);
  const int64_t width = options.width, inner = options.inner(), shared = options.shared();
  projection_ = register_module(names::kProjection,
                                xavier_linear(width, {inner, shared, shared}, options.bias));
  output_ = register_module(names::kOutput, xavier_linear(inner, {width}, options.bias));
}

Tensor SelfAttention::forward(const Tensor& x, const SentenceLayout& sentences, Tensor* weights) {
  const Tensor projected = linear(*projection_, x);
  return linear(*output_, sentences.unpadded() ? unpadded(projected, sentences)
                                               : padded(projected, sentences, weights));
}

Tensor SelfAttention::step(const Tensor& x, std::span<Tensor> state, int64_t position,
                           Tensor* weights) {
  return linear(*output_, step_of_state(linear(*projection_, x), state, position, weights));
}

Tensor SelfAttention::step(const Tensor& x, const HeadsOfLayer& cache, const BeamStep& now,
                           Tensor* weights) {
  return linear(*output_, step_of_beams(linear(*projection_, x), cache, now, weights));
}

Tensor SelfAttention::unpadded(const Tensor&, const SentenceLayout&) {
  throw Bug("unpadded sentences for a kind without scores");
}

Tensor SelfAttention::step_of_state(const Tensor&, std::span<Tensor>, int64_t, Tensor*) {
  throw Bug("a state by hypothesis for a kind with scores");
}

Tensor SelfAttention::step_of_beams(const Tensor&, const HeadsOfLayer&, const BeamStep&, Tensor*) {
  throw Bug("caches of sentences for a kind without scores");
}

}  // namespace heed::model
