#include "model/transformer/attention/scaled_dot_product.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "base/error.h"
#include "kernels/attention.h"
#include "model/embedding.h"

namespace heed::model {
namespace {

// As the fused kernels do, this computes in fp32 with the projections as they are, and rounds the
// context alone.
Tensor plain(const Tensor& query, const Tensor& keys, const Tensor& values,
             const AttentionMask& masking, Tensor* weights) {
  const kernels::WithoutAutocast guard;
  const int64_t heads = query.size(1);
  const Tensor every_key = for_each_head(kernels::widened(keys), heads);
  Tensor scores = at::matmul(kernels::widened(query), every_key.transpose(2, 3)) *
                  masking.scale;  // [batch, heads, query, keys]
  if (masking.added.defined()) scores = scores + masking.added;
  const Tensor visible = mask_tensor(masking, query.size(2), query.device());
  if (visible.defined())
    scores = scores.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  const Tensor own = masking.normalise(scores),
               shares = masking.exchange ? masking.exchange(own) : own;
  if (weights) *weights = shares.to(at::kFloat);
  const Tensor every_value = for_each_head(kernels::widened(values), heads);
  return at::matmul(drop(shares, masking.dropout, /*training=*/true), every_value)
      .to(values.scalar_type());
}

/// Attention by LibTorch's fused call, with the added scores and all masks as one tensor.
Tensor with_added(const Tensor& query, const Tensor& keys, const Tensor& values,
                  const AttentionMask& masking) {
  const kernels::WithoutAutocast guard;  // it would round the added scores
  // On a CPU LibTorch's call takes fp32 beside bf16, on a GPU it does not.
  const bool in_fp32 = query.is_cpu() && query.scalar_type() == at::kBFloat16;
  Tensor added = masking.added.to(in_fp32 ? at::kFloat : query.scalar_type());
  const Tensor visible = mask_tensor(masking, query.size(2), query.device());
  if (visible.defined())
    added = added.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  return at::scaled_dot_product_attention(query, keys, values, added, masking.dropout,
                                          /*is_causal=*/false, masking.scale,
                                          keys.size(1) != query.size(1));
}

/// The keys that the queries of each block see: [batch * blocks, 1, size, span].
Tensor block_mask(const AttentionMask& masking, const WindowBlocks& blocks, int64_t batch,
                  int64_t length, const at::Device& device) {
  // This hides columns beyond the sentence's ends, and its padding.
  Tensor there = at::ones({1, 1, length, 1}, at::TensorOptions(device).dtype(at::kBool));
  if (masking.valid.defined()) there = masking.valid.transpose(2, 3);
  const Tensor seen = seen_in_blocks(there, blocks, masking);
  return masking.valid.defined() || batch == 1
             ? seen
             : seen.unsqueeze(0).expand({batch, -1, -1, -1, -1}).flatten(0, 1);
}

}  // namespace

bool drops_by_itself(const AttentionMask& masking, const Tensor& query) {
  return masking.dropout > 0 && query.is_cpu();
}

Tensor for_each_head(const Tensor& shared, int64_t heads) {
  const int64_t group = heads / shared.size(1);
  return group == 1 ? shared : shared.repeat_interleave(group, 1);
}

Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values,
              const AttentionMask& masking, Tensor* weights) {
  expect(query.size(1) % keys.size(1) == 0, "the kv heads divide the heads");
  expect(!masking.pattern.causal || !masking.valid.defined(), "padding or causal, not both");
  const int64_t length = query.size(2);
  const bool seen = weights || masking.exchange || !kernels::is_softmax(masking.normalise);
  if (!seen && !masking.added.defined() && masking.pattern.window > 0 &&
      should_use_blocks(length, masking))
    return masking.pattern.is_sparse() ? sparse_attention(query, keys, values, masking)
                                       : attend_in_blocks(query, keys, values, masking);
  if (seen || drops_by_itself(masking, query)) return plain(query, keys, values, masking, weights);
  if (masking.added.defined()) return with_added(query, keys, values, masking);
  const bool narrow = masking.pattern.narrows(length);
  if (!narrow && masking.dropout == 0 && kernels::can_attend(query, keys, values))
    return kernels::attention(query, keys, values, masking.valid, masking.pattern, masking.scale);
  std::optional<Tensor> visible;
  if (narrow || masking.valid.defined()) visible = mask_tensor(masking, length, query.device());
  return at::scaled_dot_product_attention(query, keys, values, visible, masking.dropout,
                                          masking.pattern.causal && !visible, masking.scale,
                                          keys.size(1) != query.size(1));
}

Tensor sees(const kernels::Pattern& pattern, const Tensor& query, const Tensor& key) {
  const Tensor distance = key - query;
  Tensor seen = at::ones_like(distance, distance.options().dtype(at::kBool));
  if (pattern.window > 0) seen = distance.abs().le(pattern.window);
  if (pattern.is_sparse()) seen.logical_or_(at::minimum(query, key).lt(pattern.global));
  if (pattern.is_sparse() && pattern.stride > 0)
    seen.logical_or_(distance.remainder(pattern.stride).eq(0));
  return pattern.causal ? seen.logical_and_(distance.le(0)) : seen;
}

Tensor pattern_mask(const kernels::Pattern& pattern, int64_t length, const at::Device& device) {
  const Tensor positions = at::arange(length, at::TensorOptions(device).dtype(at::kLong));
  return sees(pattern, positions.unsqueeze(1), positions);
}

Tensor mask_tensor(const AttentionMask& masking, int64_t length, const at::Device& device) {
  const bool narrow = masking.pattern.narrows(length);
  if (!narrow && !masking.pattern.causal) return masking.valid;
  const Tensor near = pattern_mask(masking.pattern, length, device);
  if (!masking.valid.defined()) return near;
  // A query on padding that sees nothing else sees itself.
  return masking.valid.logical_and(near).logical_or_(at::eye(length, near.options()));
}

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

bool should_use_blocks(int64_t length, const AttentionMask& masking) {
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
