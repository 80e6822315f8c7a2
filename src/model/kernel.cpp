#include "model/kernel.h"

#include <ATen/ATen.h>

#include <limits>

#include "base/error.h"

namespace heed::model {
namespace {

/// [batch, kv heads, keys, head] -> [batch, heads, keys, head]
Tensor for_each_head(const Tensor& shared, int64_t heads) {
  const int64_t group = heads / shared.size(1);
  return group == 1 ? shared : shared.repeat_interleave(group, 1);
}

Tensor plain(const Tensor& query, const Tensor& keys, const Tensor& values, const Look& look,
             Tensor& weights) {
  const int64_t heads = query.size(1);
  const Tensor every_key = for_each_head(keys, heads);
  Tensor scores =
      at::matmul(query, every_key.transpose(2, 3)) * look.scale;  // [batch, heads, query, keys]
  const Tensor mask = look.causal ? causal_mask(query.size(2), query.device()) : look.mask;
  if (mask.defined())
    scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  const bool wide = scores.scalar_type() == at::kFloat || scores.scalar_type() == at::kDouble;
  Tensor shares = at::softmax(scores, -1, wide ? scores.scalar_type() : at::kFloat);
  weights = shares.to(at::kFloat);
  if (look.dropout > 0) shares = at::dropout(shares, look.dropout, true);
  return at::matmul(shares.to(values.scalar_type()), for_each_head(values, heads));
}

}  // namespace

Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values, const Look& look,
              Tensor* weights) {
  expect(query.size(1) % keys.size(1) == 0, "the kv heads divide the heads");
  expect(!look.causal || !look.mask.defined(), "a mask or causal, not both");
  if (weights) return plain(query, keys, values, look, *weights);
  const std::optional<Tensor> mask = look.mask.defined() ? std::optional(look.mask) : std::nullopt;
  return at::scaled_dot_product_attention(query, keys, values, mask, look.dropout, look.causal,
                                          look.scale, keys.size(1) != query.size(1));
}

Tensor causal_mask(int64_t length, const at::Device& device) {
  return at::ones({length, length}, at::TensorOptions(device).dtype(at::kBool)).tril();
}

Tensor window_mask(int64_t length, int64_t window, const at::Device& device) {
  return at::ones({length, length}, at::TensorOptions(device).dtype(at::kBool))
      .tril(window)
      .triu(-window);
}

}  // namespace heed::model
