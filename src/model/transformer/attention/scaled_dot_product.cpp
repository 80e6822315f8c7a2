#include "model/transformer/attention/scaled_dot_product.h"

#include <ATen/ATen.h>

#include <limits>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/fp32.h"
#include "model/embedding.h"
#include "model/transformer/attention/sparse.h"
#include "model/transformer/attention/window.h"

namespace heed::model {
namespace {

// As the fused ones it computes in fp32 with the projections as they are, and rounds the context
// alone.
Tensor plain(const Tensor& query, const Tensor& keys, const Tensor& values, const Look& look,
             Tensor& weights) {
  const kernels::WithoutAutocast guard;
  const int64_t heads = query.size(1);
  const Tensor every_key = for_each_head(kernels::widened(keys), heads);
  Tensor scores = at::matmul(kernels::widened(query), every_key.transpose(2, 3)) *
                  look.scale;  // [batch, heads, query, keys]
  if (look.added.defined()) scores = scores + look.added;
  const Tensor visible = whole_mask(look, query.size(2), query.device());
  if (visible.defined())
    scores = scores.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  const Tensor own = look.normalise(scores), shares = look.exchange ? look.exchange(own) : own;
  weights = shares.to(at::kFloat);
  const Tensor every_value = for_each_head(kernels::widened(values), heads);
  return at::matmul(drop(shares, look.dropout, /*training=*/true), every_value)
      .to(values.scalar_type());
}

/// Fused, with the added scores and all masks as one tensor.
Tensor with_added(const Tensor& query, const Tensor& keys, const Tensor& values, const Look& look) {
  const kernels::WithoutAutocast guard;  // it would round what is added
  // On a CPU LibTorch's call takes fp32 beside bf16, on a GPU it does not.
  const bool in_fp32 = query.is_cpu() && query.scalar_type() == at::kBFloat16;
  Tensor added = look.added.to(in_fp32 ? at::kFloat : query.scalar_type());
  const Tensor visible = whole_mask(look, query.size(2), query.device());
  if (visible.defined())
    added = added.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  return at::scaled_dot_product_attention(query, keys, values, added, look.dropout,
                                          /*is_causal=*/false, look.scale,
                                          keys.size(1) != query.size(1));
}

}  // namespace

bool drops_by_itself(const Look& look, const Tensor& query) {
  return look.dropout > 0 && query.is_cpu();
}

Tensor for_each_head(const Tensor& shared, int64_t heads) {
  const int64_t group = heads / shared.size(1);
  return group == 1 ? shared : shared.repeat_interleave(group, 1);
}

Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values, const Look& look,
              Tensor* weights) {
  expect(query.size(1) % keys.size(1) == 0, "the kv heads divide the heads");
  expect(!look.pattern.causal || !look.valid.defined(), "padding or causal, not both");
  Tensor unwanted;
  const int64_t length = query.size(2);
  const bool seen = weights || look.exchange || !kernels::is_softmax(look.normalise);
  if (!seen && !look.added.defined() && look.pattern.window > 0 && worth_blocks(length, look))
    return look.pattern.is_sparse() ? sparse_attention(query, keys, values, look)
                                    : attend_in_blocks(query, keys, values, look);
  if (seen || drops_by_itself(look, query))
    return plain(query, keys, values, look, weights ? *weights : unwanted);
  if (look.added.defined()) return with_added(query, keys, values, look);
  const bool narrow = look.pattern.narrows(length);
  if (!narrow && look.dropout == 0 && kernels::can_attend(query, keys, values))
    return kernels::attention(query, keys, values, look.valid, look.pattern, look.scale);
  std::optional<Tensor> visible;
  if (narrow || look.valid.defined()) visible = whole_mask(look, length, query.device());
  return at::scaled_dot_product_attention(query, keys, values, visible, look.dropout,
                                          look.pattern.causal && !visible, look.scale,
                                          keys.size(1) != query.size(1));
}

Tensor sees(const kernels::Pattern& pattern, const Tensor& query, const Tensor& key) {
  const Tensor distance = key - query;
  Tensor seen = at::ones_like(distance, distance.options().dtype(at::kBool));
  if (pattern.window > 0) seen = distance.abs().le(pattern.window);
  if (pattern.is_sparse()) seen.logical_or_(at::minimum(query, key).lt(pattern.global));
  if (pattern.is_sparse() && pattern.stride > 0)
    seen.logical_or_(distance.remainder(pattern.stride).eq(0));
  return pattern.causal ? seen.logical_and_(distance.le(0)) : seen;
}

Tensor pattern_mask(const kernels::Pattern& pattern, int64_t length, const at::Device& device) {
  const Tensor places = at::arange(length, at::TensorOptions(device).dtype(at::kLong));
  return sees(pattern, places.unsqueeze(1), places);
}

Tensor whole_mask(const Look& look, int64_t length, const at::Device& device) {
  const bool narrow = look.pattern.narrows(length);
  if (!narrow && !look.pattern.causal) return look.valid;
  const Tensor near = pattern_mask(look.pattern, length, device);
  if (!look.valid.defined()) return near;
  // A query on padding that sees nothing else sees itself.
  return look.valid.logical_and(near).logical_or_(at::eye(length, near.options()));
}

}  // namespace heed::model
