// Self-attention inside a window, in blocks, so that it costs length x window and not length^2
// (Beltagy et al. 2020, section 3.1).
#pragma once

#include <algorithm>

#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::model {

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

/// [batch, heads, length, head] -> [batch * blocks, heads, size, head]; what is added is zero.
Tensor cut_queries(const Tensor& query, const WindowBlocks& blocks);

/// [batch, heads, length, head] -> [batch * blocks, heads, span, head]; neighbours overlap.
Tensor cut_keys(const Tensor& keys, const WindowBlocks& blocks);

/// The keys of a block that a query sees, [batch * blocks, 1, size, span] bool: those near it that
/// are `there` ([batch, 1, length, 1] bool), and its own in any case, as a softmax over nothing is
/// no number.
Tensor seen_in_blocks(const Tensor& there, const WindowBlocks& blocks,
                      const AttentionMask& masking);

/// [batch * blocks, heads, size, any] -> [batch, heads, length, any]
Tensor joined_blocks(const Tensor& x, const WindowBlocks& blocks, int64_t length);

/// Whether blocks do less work than one product of all queries with all keys.
bool worth_blocks(int64_t length, const AttentionMask& masking);

/// As `attend` for an AttentionMask with a window. Queries go in blocks of a size near the window;
/// a block sees its own keys and a window's width on either side (before only, where causal),
/// gathered so that all blocks are one batch.
Tensor attend_in_blocks(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking);

/// The same of a window, of some places that everybody sees and that see everybody (Beltagy et al.
/// 2020, section 3.1), and of every s-th place (Child et al. 2019, section 4.3, "strided"): for a
/// pattern with `global` or `stride`. Time and memory are O(n (window + global + n / stride)).
Tensor sparse_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking);

}  // namespace heed::model
