#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/tensor.h"
#include "model/embedding.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/attention/softmax.h"

namespace heed::model {
namespace {

/// Queries, keys and values of every head in fp32 or double: [batch, heads, length, head].
struct SparseInputs {
  Tensor query, keys, values;
  const AttentionMask& masking;

  int64_t length() const { return query.size(2); }
  int64_t global() const { return masking.pattern.global; }
  Tensor positions() const {
    return at::arange(length(), at::TensorOptions(query.device()).dtype(at::kLong));
  }
  /// The positions that are no padding and that not everybody sees.
  Tensor others() const { return real().logical_and(positions().ge(global()).view({1, 1, -1, 1})); }
  /// The positions that are no padding: [batch or 1, 1, length, 1] bool.
  Tensor real() const {
    if (masking.valid.defined()) return masking.valid.transpose(2, 3);
    return at::ones({1, 1, length(), 1}, at::TensorOptions(query.device()).dtype(at::kBool));
  }
};

/// A part of the keys that queries see: scores [batch, heads, length, keys of one query], -inf for
/// keys that a query does not see, and the context that weights of this shape make.
struct SeenPart {
  Tensor scores;
  std::function<Tensor(const Tensor& weights)> context;
};

/// Scaled products of queries and keys, -inf where `seen` is false.
Tensor scores_of(const SparseInputs& in, const Tensor& query, const Tensor& keys,
                 const Tensor& seen) {
  return (at::matmul(query, keys.transpose(-2, -1)) * in.masking.scale)
      .masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
}

/// The keys near the query, without those that everybody sees. The query's own is always among
/// them, so that padding, too, sees something; that the first `global` queries see theirs twice
/// does not matter, because of_global_queries() replaces their contexts.
SeenPart near(const SparseInputs& in) {
  const WindowBlocks blocks(in.length(), in.masking);
  const Tensor seen =
      seen_in_blocks(in.others().expand({in.query.size(0), 1, -1, 1}), blocks, in.masking);
  const Tensor scores =
      scores_of(in, cut_queries(in.query, blocks), cut_keys(in.keys, blocks), seen);
  const Tensor values = cut_keys(in.values, blocks);
  return {joined_blocks(scores, blocks, in.length()),
          [blocks, values, length = in.length()](const Tensor& weights) {
            return joined_blocks(at::matmul(cut_queries(weights, blocks), values), blocks, length);
          }};
}

/// The keys that everybody sees.
SeenPart global(const SparseInputs& in) {
  const auto first = [&](const Tensor& x) { return x.narrow(2, 0, in.global()); };
  const Tensor positions = in.positions();
  const Tensor seen = first(in.real()).transpose(2, 3).logical_and(
      sees(in.masking.pattern, positions.unsqueeze(1), positions.narrow(0, 0, in.global())));
  return {
      scores_of(in, in.query, first(in.keys), seen),
      [values = first(in.values)](const Tensor& weights) { return at::matmul(weights, values); }};
}

/// Keys whose distance is a multiple of the stride and that are in neither of the other parts: the
/// sentence becomes rows of `stride` positions, in which each column attends by itself.
SeenPart strided(const SparseInputs& in) {
  const int64_t stride = in.masking.pattern.stride, length = in.length();
  /// [batch, heads, length, any] -> [batch, heads, stride, rows, any]
  const auto columns = [=](const Tensor& x) {
    const int64_t whole = (x.size(2) + stride - 1) / stride * stride;
    return at::constant_pad_nd(x, {0, 0, 0, whole - x.size(2)})
        .unflatten(2, {-1, stride})
        .transpose(2, 3);
  };
  const auto sequence = [=](const Tensor& x) {
    return x.transpose(2, 3).flatten(2, 3).narrow(2, 0, length);
  };
  const Tensor query = columns(in.query), keys = columns(in.keys), values = columns(in.values);
  const Tensor row = at::arange(query.size(3), in.positions().options()) * stride,
               below = row.unsqueeze(1);
  const Tensor far = sees(in.masking.pattern, below, row)
                         .logical_and_(sees(in.masking.pattern.band(), below, row).logical_not());
  const Tensor seen =  // [batch or 1, 1, stride, rows, rows]
      far.logical_and(columns(in.others()).transpose(3, 4));
  return {sequence(scores_of(in, query, keys, seen)),
          [=](const Tensor& weights) { return sequence(at::matmul(columns(weights), values)); }};
}

/// The contexts of the first `global` queries, which see everybody.
Tensor of_global_queries(const SparseInputs& in) {
  const AttentionMask& masking = in.masking;
  const Tensor query = in.query.narrow(2, 0, in.global()), positions = in.positions();
  const Tensor seen = in.real().transpose(2, 3).logical_and(
      sees(masking.pattern, positions.narrow(0, 0, in.global()).unsqueeze(1), positions));
  const Tensor weights = at::softmax(scores_of(in, query, in.keys, seen), -1);
  return at::matmul(drop(weights, masking.dropout, /*training=*/true), in.values);
}

}  // namespace

Tensor sparse_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& given) {
  const kernels::WithoutAutocast guard;
  AttentionMask masking = given;
  masking.pattern.global = std::min(masking.pattern.global, query.size(2));
  if (masking.pattern.stride >= query.size(2))
    masking.pattern.stride = 0;  // columns of one position
  const SparseInputs in{kernels::widened(query),
                        for_each_head(kernels::widened(keys), query.size(1)),
                        for_each_head(kernels::widened(values), query.size(1)), masking};
  std::vector<SeenPart> parts{near(in)};
  if (masking.pattern.global > 0) parts.push_back(global(in));
  if (masking.pattern.stride > 0) parts.push_back(strided(in));
  std::vector<Tensor> scores;
  std::vector<int64_t> sizes;
  for (const SeenPart& part : parts) {
    scores.push_back(part.scores);
    sizes.push_back(part.scores.size(3));
  }
  const Tensor weights =
      drop(at::softmax(at::cat(scores, 3), -1), masking.dropout, /*training=*/true);
  const auto shares = weights.split_with_sizes(sizes, 3);
  Tensor context = parts[0].context(shares[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) context = context + parts[i].context(shares[i]);
  if (masking.pattern.global > 0)
    context = at::cat({of_global_queries(in), context.narrow(2, masking.pattern.global,
                                                             in.length() - masking.pattern.global)},
                      2);
  return context.to(values.scalar_type());
}

SelfAttentionPtr make_sparse(const MultiHeadOptions& options, const LayerIndex& index) {
  return std::make_shared<SoftmaxAttention>(options, index);
}

}  // namespace heed::model
