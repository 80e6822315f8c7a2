#include "model/transformer/attention/attention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "base/error.h"
#include "kernels/varlen_attention.h"

namespace heed::model {

double MultiHeadOptions::factor() const {
  return scale == AttentionScale::sqrt ? 1 / std::sqrt(static_cast<double>(head())) : 1;
}

Look MultiHeadOptions::look(const Tensor& valid, bool training) const {
  return {
      .valid = valid, .scale = factor(), .dropout = training ? dropout : 0, .normalise = normalise};
}

kernels::PackedHeads MultiHeadOptions::packed_heads(const Sentences& queries,
                                                    const Sentences& keys) const {
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
                     const Sentences& queries, const Sentences& memory, const Look& look) {
  return kernels::varlen_attention(
             query, keys, values, {queries.starts, queries.longest},
             {memory.starts, memory.longest},
             {.pattern = look.pattern, .scale = look.scale, .dropout = look.dropout})
      .flatten(1);
}

SelfAttentionKind::SelfAttentionKind(const MultiHeadOptions& options, const Place& place)
    : options_(options),
      positions_(place.positions ? place.positions : std::make_shared<const Positions>()),
      layer_(place.layer) {}

Tensor SelfAttentionKind::unpadded(const Tensor&, const Sentences&) {
  throw Bug("packed sentences, of a kind that takes them padded");
}

Tensor SelfAttentionKind::step(const Tensor&, const HeadsOfLayer&, const BeamStep&, Tensor*) {
  throw Bug("caches of sentences, of a kind that carries a state by hypothesis");
}

}  // namespace heed::model
