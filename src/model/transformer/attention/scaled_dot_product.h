// Scaled dot-product attention, softmax(scale Q K^T) V (Vaswani et al. 2017, eq. 1): fused, or in
// plain steps where somebody wants to see the weights.
#pragma once

#include <functional>

#include "kernels/normalisers/normaliser.h"
#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"

namespace heed::model {

/// Who may look where. Masks are bool, true = may look.
struct AttentionMask {
  Tensor valid;  // [batch, 1, 1, keys]: the keys that are no padding; undefined: all
  kernels::Pattern pattern = {};  // of as many queries as keys; a causal one without `valid`
  double scale = 1;               // 1 / sqrt(width of one head), but for the ablation
  double dropout = 0;             // of the weights
  /// Makes other weights, [batch, heads, query, keys]; then they are computed in plain steps.
  std::function<Tensor(const Tensor& weights)> exchange;
  Tensor added;  // to scaled scores: [batch or 1, heads, query, keys]; undefined: nothing
  kernels::Normalise normalise = &kernels::softmax;  // another one is computed in plain steps
};

/// query [batch, heads, query, head], keys and values [batch, kv heads, keys, head] with a number
/// of kv heads that divides the heads: each serves that many neighbouring ones. Returns [batch,
/// heads, query, head]. Without a window every query needs a valid key; inside a window a query on
/// padding that has none sees itself. With `weights` they are computed one by one and given back,
/// before dropout, as float [batch, heads, query, keys]: masked ones are exactly 0. Without, no
/// tensor of query x keys is made; a window costs query x window in time and memory.
Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values,
              const AttentionMask& masking, Tensor* weights = nullptr);

/// Whether dropout of the weights must not be left to LibTorch's fused call: on a CPU that takes no
/// generator, and its draws would be neither those of kernels::Draws nor the same on any number of
/// threads.
bool drops_by_itself(const AttentionMask& masking, const Tensor& query);

/// [batch, kv heads, ...] -> [batch, heads, ...]: each as often as heads share it.
Tensor for_each_head(const Tensor& shared, int64_t heads);

/// Pattern::sees() of positions, int64 tensors that broadcast.
Tensor sees(const kernels::Pattern& pattern, const Tensor& query, const Tensor& key);

/// The same of all positions of a sentence: [length, length] bool.
Tensor pattern_mask(const kernels::Pattern& pattern, int64_t length, const at::Device& device);

/// All of an AttentionMask as one mask that broadcasts to [batch, heads, query, keys], or undefined
/// where everybody sees everything.
Tensor mask_tensor(const AttentionMask& masking, int64_t length, const at::Device& device);

}  // namespace heed::model
