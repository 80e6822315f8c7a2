// Scaled dot-product attention over short sequences, many sentences and heads at a time, forward
// and backward, with no mask tensor and no copy of its inputs. CPU, fp32 and bf16 with fp32 inside.
// The readable twin is attend() with weights (model/transformer/attention/scaled_dot_product.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/rows/attention.h"
#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// The longest sentence for which these functions are faster than LibTorch's.
constexpr int64_t kLongestAttention = 512;

/// Whether attention() takes these tensors, and is faster than LibTorch's for their lengths.
bool can_attend(const Tensor& query, const Tensor& keys, const Tensor& values);

/// softmax(scale Q K^T) V, where `pattern` says which keys a query sees: query [batch, heads,
/// queries, head], keys and values [batch, kv heads, keys, head], of one type, kv heads dividing
/// heads -> [batch, heads, queries, head]. `valid` [batch, 1, 1, keys] bool or undefined.
Tensor attention(const Tensor& query, const Tensor& keys, const Tensor& values, const Tensor& valid,
                 const Pattern& pattern, double scale);

/// The lengths of unpadded sentences, and the sizes of the heads in a projection's columns.
struct UnpaddedHeads {
  std::vector<int64_t> query_lengths, key_lengths;  // of each sentence
  int64_t heads = 1, kv_heads = 1, head = 1;
};

/// Numbers that are added to the scores of self-attention by the distance key - query, where it is
/// at most `reach`; farther keys get the outermost numbers.
struct ByDistance {
  Tensor numbers;  // [query positions, or 1 for all, heads, 2 * reach + 1] fp32; undefined: none

  int64_t reach() const { return numbers.size(2) / 2; }
};

/// attention() over unpadded sentences: the first heads * head columns of `queries` [query
/// positions, ...], the last 2 * kv heads * head ones of `memory` [key positions, ...], keys before
/// values -> [query positions, heads * head]. Both may be one tensor: a projection of all three.
/// If the pattern is a window alone, the cost is queries x window.
Tensor unpadded_attention(const Tensor& queries, const Tensor& memory, const UnpaddedHeads& heads,
                          const Pattern& pattern, double scale, const ByDistance& distances = {});

}  // namespace heed::kernels
