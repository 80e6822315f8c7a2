// Linear attention (Katharopoulos et al. 2020): f(Q) (f(K)^T V) with f(x) = elu(x) + 1 in place of
// softmax(Q K^T) V. Time and memory grow with the length and not with its square, and the state of
// a decoder does not grow.
#pragma once

#include "model/transformer/scaled_dot_product.h"

namespace heed::model {

/// Shapes as in attend(). Of `look` it reads `valid` and `causal`. a(i, j) = f(q(i)) . f(k(j)) /
/// the sum of these over the keys that query i sees. fp32 or double inside. `weights`, if not null,
/// receives a as float [batch, heads, query, keys], and then a matrix of this size is made.
Tensor linear_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const Look& look, Tensor* weights = nullptr);

/// One step of a decoder. query [batch, heads, head], key and value [batch, kv heads, head] ->
/// context [batch, heads, head]. `sums` [batch, kv heads, head, head + 1] holds f(k) [v, 1]^T,
/// summed over the steps so far; undefined before the first one.
Tensor linear_step(const Tensor& query, const Tensor& key, const Tensor& value, Tensor& sums);

}  // namespace heed::model
