// Scaled dot-product attention, softmax(scale Q K^T) V (Vaswani et al. 2017, eq. 1): fused, or in
// plain steps where the weights are wanted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "kernels/normalisers/normaliser.h"
#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"

namespace heed::model {

/// Which keys a query may look at, and how scores become weights. Masks are bool, true = may look.
struct AttentionMask {
  Tensor valid;  // [batch, 1, 1, keys]: the keys that are no padding; undefined: all
  kernels::Pattern pattern = {};  // of as many queries as keys; a causal one without `valid`
  double scale = 1;               // 1 / sqrt(width of one head), but for the ablation
  double dropout = 0;             // of the weights
  /// Replaces the weights, [batch, heads, query, keys], which are then computed in plain steps.
  std::function<Tensor(const Tensor& weights)> exchange;
  Tensor added;  // to scaled scores: [batch or 1, heads, query, keys]; undefined: nothing
  kernels::Normalise normalise = &kernels::softmax;  // another one is computed in plain steps
};

/// query [batch, heads, query, head], keys and values [batch, kv heads, keys, head] with a number
/// of kv heads that divides the heads: each serves that many neighbouring ones. Returns [batch,
/// heads, query, head]. Without a window every query needs a valid key; inside a window a query on
/// padding that has none sees itself. With `weights` these are computed one by one and given back,
/// before dropout, as float [batch, heads, query, keys]: masked ones are exactly 0. Without, no
/// tensor of query x keys is made; a window costs query x window in time and memory.
Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values,
              const AttentionMask& masking, Tensor* weights = nullptr);

/// Whether dropout of the weights must not be left to LibTorch's fused call: on a CPU that takes no
/// generator, and its draws would be neither those of kernels::Draws nor the same on any number of
/// threads.
bool drops_by_itself(const AttentionMask& masking, const Tensor& query);

/// Repeats each kv head for the heads that share it: [batch, kv heads, ...] -> [batch, heads, ...].
Tensor for_each_head(const Tensor& shared, int64_t heads);

/// Pattern::sees() for tensors of positions, int64, that broadcast.
Tensor sees(const kernels::Pattern& pattern, const Tensor& query, const Tensor& key);

/// Pattern::sees() for all pairs of positions of a sentence: [length, length] bool.
Tensor pattern_mask(const kernels::Pattern& pattern, int64_t length, const at::Device& device);

/// Returns all of an AttentionMask as one mask that broadcasts to [batch, heads, query, keys], or
/// undefined where everybody sees everything.
Tensor mask_tensor(const AttentionMask& masking, int64_t length, const at::Device& device);

// Self-attention inside a window, in blocks, so that it costs length x window and not length^2
// (Beltagy et al. 2020, section 3.1).

/// Block b holds the queries [b size, (b + 1) size) and sees the keys [b size - before, (b + 1)
/// size + after).
struct WindowBlocks {
  static constexpr int64_t kSmallest = 32;  // smaller products leave a processor idle
  int64_t size, before, after, count;

  WindowBlocks(int64_t length, const AttentionMask& masking)
      : size(std::max(kSmallest, masking.pattern.window)),
        before(masking.pattern.window),
        after(masking.pattern.ahead()),
        count((length + size - 1) / size) {}

  int64_t span() const { return before + size + after; }
  int64_t padded() const { return count * size; }
};

/// Cuts queries into blocks, filled up with zeros: [batch, heads, length, head] -> [batch * blocks,
/// heads, size, head].
Tensor cut_queries(const Tensor& query, const WindowBlocks& blocks);

/// Cuts keys into the spans that the blocks see; neighbours overlap: [batch, heads, length, head]
/// -> [batch * blocks, heads, span, head].
Tensor cut_keys(const Tensor& keys, const WindowBlocks& blocks);

/// The keys of a block that a query sees, [batch * blocks, 1, size, span] bool: those near it that
/// are `there` ([batch, 1, length, 1] bool), and its own in any case, as a softmax over nothing is
/// no number.
Tensor seen_in_blocks(const Tensor& there, const WindowBlocks& blocks,
                      const AttentionMask& masking);

/// Joins blocks again: [batch * blocks, heads, size, any] -> [batch, heads, length, any].
Tensor joined_blocks(const Tensor& x, const WindowBlocks& blocks, int64_t length);

/// Whether blocks do less work than one product of all queries with all keys.
bool should_use_blocks(int64_t length, const AttentionMask& masking);

/// attend() for an AttentionMask with a window. Queries are taken in blocks of a size near the
/// window; a block sees its own keys and a window's width on either side (before only, where
/// causal), gathered so that all blocks are one batch.
Tensor attend_in_blocks(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking);

/// attend() for a pattern with `global` or `stride`: over a window, over some positions that
/// everybody sees and that see everybody (Beltagy et al. 2020, section 3.1), and over every s-th
/// position (Child et al. 2019, section 4.3, "strided"). Time and memory are O(n (window + global +
/// n / stride)).
Tensor sparse_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking);

}  // namespace heed::model
