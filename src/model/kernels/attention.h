// Scaled dot-product attention over short sequences, many sentences and heads at a time, forward
// and backward, with no mask tensor and no copy of its inputs. CPU, fp32 and bf16 with fp32 inside.
// The readable twin is attend() with weights (model/kernel.h).
#pragma once

#include <vector>

#include "model/tensor.h"

namespace heed::model::kernels {

/// The longest sentence for which these are the faster ones.
constexpr int64_t kLongestAttention = 512;

/// Whether `attention` takes them, and is the faster one for their lengths.
bool can_attend(const Tensor& query, const Tensor& keys, const Tensor& values);

/// query [batch, heads, queries, head], keys and values [batch, kv heads, keys, head], of one type,
/// kv heads dividing heads -> [batch, heads, queries, head]. `valid` [batch, 1, 1, keys] bool or
/// undefined; `causal`: query i sees the keys 0..i.
Tensor attention(const Tensor& query, const Tensor& keys, const Tensor& values, const Tensor& valid,
                 bool causal, double scale);

/// The lengths of packed sentences.
struct PackedLengths {
  std::vector<int64_t> queries, keys;
};

/// The same over packed sentences: query [query positions, heads, head], keys and values [key
/// positions, kv heads, head] -> [query positions, heads, head].
Tensor packed_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const PackedLengths& lengths, bool causal, double scale);

}  // namespace heed::model::kernels
