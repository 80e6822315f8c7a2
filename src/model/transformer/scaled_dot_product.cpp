#include "model/transformer/scaled_dot_product.h"

#include <ATen/ATen.h>

#include <limits>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/fp32.h"
#include "model/embedding.h"
#include "model/transformer/sliding_window.h"
#include "model/transformer/sparse_attention.h"

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
  const Tensor mask = whole_mask(look, query.size(2), query.device());
  if (mask.defined())
    scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  const Tensor own = look.normalise(scores), shares = look.exchange ? look.exchange(own) : own;
  weights = shares.to(at::kFloat);
  const Tensor every_value = for_each_head(kernels::widened(values), heads);
  return at::matmul(drop(shares, look.dropout, /*training=*/true), every_value)
      .to(values.scalar_type());
}

/// Whether some key is out of a query's sight.
bool hides(const kernels::Pattern& pattern, int64_t length) {
  return pattern.window > 0 && pattern.window + 1 < length;
}

/// Fused, with the added scores and all masks as one tensor.
Tensor with_added(const Tensor& query, const Tensor& keys, const Tensor& values, const Look& look) {
  const kernels::WithoutAutocast guard;  // it would round what is added
  // On a CPU LibTorch's call takes fp32 beside bf16, on a GPU it does not.
  const bool in_fp32 = query.is_cpu() && query.scalar_type() == at::kBFloat16;
  Tensor added = look.added.to(in_fp32 ? at::kFloat : query.scalar_type());
  const Tensor mask = whole_mask(look, query.size(2), query.device());
  if (mask.defined())
    added = added.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
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
  expect(!look.causal || !look.valid.defined(), "padding or causal, not both");
  Tensor unwanted;
  const int64_t length = query.size(2);
  const bool seen = weights || look.exchange || !kernels::is_softmax(look.normalise);
  if (!seen && !look.added.defined() && look.pattern.window > 0 && worth_blocks(length, look))
    return look.pattern.is_sparse() ? sparse_attention(query, keys, values, look)
                                    : attend_in_blocks(query, keys, values, look);
  if (seen || drops_by_itself(look, query))
    return plain(query, keys, values, look, weights ? *weights : unwanted);
  if (look.added.defined()) return with_added(query, keys, values, look);
  const bool narrow = hides(look.pattern, length);
  if (!narrow && look.dropout == 0 && kernels::can_attend(query, keys, values))
    return kernels::attention(query, keys, values, look.valid, look.causal, look.scale);
  std::optional<Tensor> mask;
  if (narrow || look.valid.defined()) mask = whole_mask(look, length, query.device());
  return at::scaled_dot_product_attention(query, keys, values, mask, look.dropout,
                                          look.causal && !mask, look.scale,
                                          keys.size(1) != query.size(1));
}

Tensor causal_mask(int64_t length, const at::Device& device) {
  return at::ones({length, length}, at::TensorOptions(device).dtype(at::kBool)).tril();
}

Tensor window_mask(int64_t length, int64_t window, const at::Device& device) {
  return at::ones({length, length}, at::TensorOptions(device).dtype(at::kBool))
      .tril(window)
      .triu(-window);
}

Tensor pattern_mask(const kernels::Pattern& pattern, int64_t length, const at::Device& device) {
  Tensor seen = window_mask(length, pattern.window, device);
  const Tensor places = at::arange(length, at::TensorOptions(device).dtype(at::kLong));
  if (pattern.stride > 0) {
    const Tensor distance = places.unsqueeze(0) - places.unsqueeze(1);
    seen = seen.logical_or(distance.remainder(pattern.stride).eq(0));
  }
  const Tensor first = places.lt(pattern.global);
  return seen.logical_or(first.unsqueeze(0)).logical_or(first.unsqueeze(1));
}

Tensor whole_mask(const Look& look, int64_t length, const at::Device& device) {
  const Tensor padding = look.valid;
  if (!hides(look.pattern, length)) return look.causal ? causal_mask(length, device) : padding;
  const Tensor near = pattern_mask(look.pattern, length, device);
  if (look.causal) return near.logical_and(causal_mask(length, device));
  if (!padding.defined()) return near;
  return padding.logical_and(near).logical_or_(window_mask(length, 0, device));
}

}  // namespace heed::model
