#include "model/transformer/linear_attention.h"

#include <ATen/ATen.h>

#include "kernels/fp32.h"

namespace heed::model {
namespace {

constexpr int64_t kChunk = 64;  // queries whose keys are looked at one by one

/// elu(x) + 1: above 0 everywhere.
Tensor feature(const Tensor& x) {
  return at::elu(kernels::widened(x)) + 1;
}

/// [..., d] -> [..., d + 1]: sums of what follows the values with a 1 are sums and their count.
Tensor with_one(const Tensor& values) {
  const Tensor wide = kernels::widened(values);
  auto shape = wide.sizes().vec();
  shape.back() = 1;
  return at::cat({wide, at::ones(shape, wide.options())}, -1);
}

/// The first d columns by the last one.
Tensor divided(const Tensor& sums) {
  const int64_t width = sums.size(-1) - 1;
  return sums.narrow(-1, 0, width) / sums.narrow(-1, width, 1);
}

/// [..., length, d] -> [..., chunks, kChunk, d]; what is added is zero, and adds nothing to a sum.
Tensor in_chunks(const Tensor& x) {
  const int64_t length = x.size(-2), whole = (length + kChunk - 1) / kChunk * kChunk;
  return at::constant_pad_nd(x, {0, 0, 0, whole - length}).unflatten(-2, {-1, kChunk});
}

/// Of each query over the keys up to its own place: those of its chunk by a triangle of products,
/// those of the chunks before by their running sum.
Tensor causal_sums(const Tensor& query, const Tensor& keys, const Tensor& values) {
  const Tensor q = in_chunks(query), k = in_chunks(keys), v = in_chunks(values);
  const Tensor near = at::matmul(at::matmul(q, k.transpose(-1, -2)).tril(), v);
  const Tensor each = at::matmul(k.transpose(-1, -2), v);  // [batch, heads, chunks, d, d + 1]
  const int64_t chunks = each.size(2);
  const Tensor none = at::zeros_like(each.narrow(2, 0, 1));
  const Tensor before = at::cat({none, each.narrow(2, 0, chunks - 1).cumsum(2)}, 2);
  return (near + at::matmul(q, before)).flatten(2, 3).narrow(2, 0, query.size(2));
}

Tensor shares(const Tensor& query, const Tensor& keys, bool causal) {
  Tensor products = at::matmul(query, keys.transpose(-1, -2));
  if (causal) products = products.tril();
  return products / products.sum(-1, true);
}

}  // namespace

Tensor linear_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const Look& look, Tensor* weights) {
  const kernels::WithoutAutocast guard;
  const int64_t heads = query.size(1);
  const Tensor q = feature(query), v = for_each_head(with_one(values), heads);
  Tensor k = for_each_head(feature(keys), heads);
  if (look.valid.defined()) k = k * look.valid.transpose(2, 3).to(k.scalar_type());
  if (weights) {
    const Tensor all = shares(q, k, look.causal);
    *weights = all.to(at::kFloat);
    return at::matmul(all, v.narrow(-1, 0, values.size(-1))).to(values.scalar_type());
  }
  const Tensor sums =
      look.causal ? causal_sums(q, k, v) : at::matmul(q, at::matmul(k.transpose(-1, -2), v));
  return divided(sums).to(values.scalar_type());
}

Tensor linear_step(const Tensor& query, const Tensor& key, const Tensor& value, Tensor& sums) {
  const kernels::WithoutAutocast guard;
  const Tensor now = feature(key).unsqueeze(-1) * with_one(value).unsqueeze(-2);
  sums = sums.defined() ? sums + now : now;
  const Tensor read = at::matmul(feature(query).unsqueeze(-2), for_each_head(sums, query.size(1)));
  return divided(read.squeeze(-2)).to(value.scalar_type());
}

}  // namespace heed::model
