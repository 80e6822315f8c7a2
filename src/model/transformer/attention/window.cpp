#include "model/transformer/attention/window.h"

#include <ATen/ATen.h>

namespace heed::model {

Tensor cut_queries(const Tensor& query, const WindowBlocks& blocks) {
  const Tensor whole = at::constant_pad_nd(query, {0, 0, 0, blocks.padded() - query.size(2)});
  return whole.unflatten(2, {blocks.count, blocks.size}).transpose(1, 2).flatten(0, 1);
}

Tensor cut_keys(const Tensor& keys, const WindowBlocks& blocks) {
  const int64_t end = blocks.padded() - keys.size(2) + blocks.after;
  return at::constant_pad_nd(keys, {0, 0, blocks.before, end})
      .unfold(2, blocks.span(), blocks.size)  // [batch, heads, blocks, head, span]
      .permute({0, 2, 1, 4, 3})
      .flatten(0, 1);
}

Tensor seen_in_blocks(const Tensor& there, const WindowBlocks& blocks,
                      const AttentionMask& masking) {
  const auto options = at::TensorOptions(there.device()).dtype(at::kLong);
  const Tensor row = at::arange(blocks.size, options).unsqueeze(1);
  const Tensor column = at::arange(blocks.span(), options) - blocks.before;
  const Tensor near = sees(masking.pattern.band(), row, column);  // [size, span]
  const Tensor seen = cut_keys(there, blocks).transpose(2, 3);    // [batch * blocks, 1, 1, span]
  return near.logical_and(seen).logical_or_(column.eq(row));
}

Tensor joined_blocks(const Tensor& x, const WindowBlocks& blocks, int64_t length) {
  const int64_t batch = x.size(0) / blocks.count;
  return x.unflatten(0, {batch, blocks.count}).transpose(1, 2).flatten(2, 3).narrow(2, 0, length);
}

namespace {

/// [batch * blocks, 1, size, span]
Tensor block_mask(const AttentionMask& masking, const WindowBlocks& blocks, int64_t batch,
                  int64_t length, const at::Device& device) {
  // Columns beyond the sentence's ends, and its padding.
  Tensor there = at::ones({1, 1, length, 1}, at::TensorOptions(device).dtype(at::kBool));
  if (masking.valid.defined()) there = masking.valid.transpose(2, 3);
  const Tensor seen = seen_in_blocks(there, blocks, masking);
  return masking.valid.defined() || batch == 1
             ? seen
             : seen.unsqueeze(0).expand({batch, -1, -1, -1, -1}).flatten(0, 1);
}

}  // namespace

bool worth_blocks(int64_t length, const AttentionMask& masking) {
  return length >= 2 * WindowBlocks(length, masking).span();
}

Tensor attend_in_blocks(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking) {
  const int64_t batch = query.size(0), length = query.size(2);
  const WindowBlocks blocks(length, masking);
  const Tensor seen = block_mask(masking, blocks, batch, length, query.device());
  const Tensor some = cut_queries(query, blocks), near_keys = cut_keys(keys, blocks),
               near_values = cut_keys(values, blocks);
  const Tensor out =  // [batch * blocks, heads, size, head]
      drops_by_itself(masking, query)
          ? attend(some, near_keys, near_values,
                   {.valid = seen, .scale = masking.scale, .dropout = masking.dropout})
          : at::scaled_dot_product_attention(some, near_keys, near_values, seen, masking.dropout,
                                             /*is_causal=*/false, masking.scale,
                                             keys.size(1) != query.size(1));
  return joined_blocks(out, blocks, length);
}

}  // namespace heed::model
