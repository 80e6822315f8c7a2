// Linear attention (Katharopoulos et al. 2020): f(Q) (f(K)^T V) with f(x) = elu(x) + 1 in place of
// softmax(Q K^T) V. Time and memory grow with the length and not with its square, and the state of
// a decoder does not grow.
//
//   a(i,j) = f(q(i)) . f(k(j)) / sum over j' of f(q(i)) . f(k(j'))
//   rotary positions: R(i) f(q(i)) . R(j) f(k(j)) / the same sum     Su et al. 2021, equation 19
//
// The sums run over the keys that query i sees. With rotations a(i,j) can be below 0, and a row
// need not add up to 1. The sum below the line is above 0: f counts x below -40 as -40.
#pragma once

#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::model {

/// Linear attention, with shapes as in attend(). Of `masking` it reads `valid` and whether the
/// pattern is causal; nothing may be added to scores. `rotations` [length, head / 2] complex, if
/// defined, are those of Positions. It computes in fp32 or double. `weights`, if not null,
/// receives a as float [batch, heads, query, keys], and then a matrix of this size is made.
Tensor linear_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking, const Tensor& rotations = {},
                        Tensor* weights = nullptr);

/// The sums over the steps so far; undefined before the first one.
struct LinearSums {
  Tensor products;  // [batch, kv heads, head, head] R(j) f(k(j)) v(j)^T
  Tensor keys;      // [batch, kv heads, head] f(k(j))
};

/// One step of a decoder, which is added to `sums`. query [batch, heads, head], key and value
/// [batch, kv heads, head] -> context [batch, heads, head]. `rotations` [1, head / 2]: those of
/// this step, if any.
Tensor linear_step(const Tensor& query, const Tensor& key, const Tensor& value, LinearSums& sums,
                   const Tensor& rotations = {});

}  // namespace heed::model
