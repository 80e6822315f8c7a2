#include "model/transformer/attention/sparse.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.h"
#include "kernels/fp32.h"
#include "model/embedding.h"
#include "model/transformer/attention/softmax.h"
#include "model/transformer/attention/window.h"

namespace heed::model {
namespace {

/// Queries, keys and values of every head in fp32 or double: [batch, heads, length, head].
struct Inputs {
  Tensor query, keys, values;
  const Look& look;

  int64_t length() const { return query.size(2); }
  int64_t global() const { return look.pattern.global; }
  Tensor places() const {
    return at::arange(length(), at::TensorOptions(query.device()).dtype(at::kLong));
  }
  /// No padding, and none of the places that everybody sees.
  Tensor others() const { return real().logical_and(places().ge(global()).view({1, 1, -1, 1})); }
  /// [batch or 1, 1, length, 1] bool: no padding.
  Tensor real() const {
    if (look.valid.defined()) return look.valid.transpose(2, 3);
    return at::ones({1, 1, length(), 1}, at::TensorOptions(query.device()).dtype(at::kBool));
  }
};

// Each way to look has scores [batch, heads, length, keys of one query], -inf where it does not,
// and makes a context of weights of this shape.

Tensor hidden(const Tensor& scores, const Tensor& seen) {
  return scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
}

/// The keys near the query, those that everybody sees left out. The query's own is always among
/// them, so that padding, too, sees something; that the first `global` queries see theirs twice
/// does not matter, of_global_queries() replaces them.
class Near {
 public:
  explicit Near(const Inputs& in)
      : blocks_(in.length(), in.look), length_(in.length()), values_(cut_keys(in.values, blocks_)) {
    const Tensor query = cut_queries(in.query, blocks_), keys = cut_keys(in.keys, blocks_);
    const Tensor seen =
        seen_in_blocks(in.others().expand({in.query.size(0), 1, -1, 1}), blocks_, in.look);
    scores = joined_blocks(hidden(at::matmul(query, keys.transpose(2, 3)) * in.look.scale, seen),
                           blocks_, length_);
  }

  Tensor context(const Tensor& weights) const {
    return joined_blocks(at::matmul(cut_queries(weights, blocks_), values_), blocks_, length_);
  }

  Tensor scores;

 private:
  WindowBlocks blocks_;
  int64_t length_;
  Tensor values_;
};

/// The places that everybody sees.
class Global {
 public:
  explicit Global(const Inputs& in) : values_(in.values.narrow(2, 0, in.global())) {
    const Tensor keys = in.keys.narrow(2, 0, in.global()), places = in.places();
    const Tensor seen = in.real()
                            .narrow(2, 0, in.global())
                            .transpose(2, 3)
                            .logical_and(sees(in.look.pattern, places.unsqueeze(1),
                                              places.narrow(0, 0, in.global())));
    scores = hidden(at::matmul(in.query, keys.transpose(2, 3)) * in.look.scale, seen);
  }

  Tensor context(const Tensor& weights) const { return at::matmul(weights, values_); }

  Tensor scores;

 private:
  Tensor values_;
};

/// Places whose distance is a multiple of the stride, where neither of the others looks: a sequence
/// of rows of `stride` places, each column by itself.
class Strided {
 public:
  explicit Strided(const Inputs& in)
      : stride_(in.look.pattern.stride), length_(in.length()), values_(columns(in.values)) {
    const Tensor query = columns(in.query),
                 keys = columns(in.keys);  // [batch, heads, s, rows, head]
    const int64_t rows = query.size(3);
    const auto options = at::TensorOptions(query.device()).dtype(at::kLong);
    const Tensor row = at::arange(rows, options) * stride_, below = row.unsqueeze(1);
    const Tensor far = sees(in.look.pattern, below, row)
                           .logical_and_(sees(in.look.pattern.band(), below, row).logical_not());
    const Tensor seen =
        far.logical_and(columns(in.others()).transpose(3, 4));  // [batch or 1, 1, s, rows, rows]
    scores = sequence(hidden(at::matmul(query, keys.transpose(3, 4)) * in.look.scale, seen));
  }

  Tensor context(const Tensor& weights) const {
    return sequence(at::matmul(columns(weights), values_));
  }

  Tensor scores;

 private:
  /// [batch, heads, length, any] -> [batch, heads, stride, rows, any]
  Tensor columns(const Tensor& x) const {
    const int64_t whole = (x.size(2) + stride_ - 1) / stride_ * stride_;
    return at::constant_pad_nd(x, {0, 0, 0, whole - x.size(2)})
        .unflatten(2, {-1, stride_})
        .transpose(2, 3);
  }
  Tensor sequence(const Tensor& x) const {
    return x.transpose(2, 3).flatten(2, 3).narrow(2, 0, length_);
  }

  int64_t stride_, length_;
  Tensor values_;
};

/// The places that everybody sees see everybody.
Tensor of_global_queries(const Inputs& in) {
  const Look& look = in.look;
  const Tensor query = in.query.narrow(2, 0, in.global()), places = in.places();
  const Tensor scores = at::matmul(query, in.keys.transpose(2, 3)) * look.scale;
  const Tensor seen = in.real().transpose(2, 3).logical_and(
      sees(look.pattern, places.narrow(0, 0, in.global()).unsqueeze(1), places));
  const Tensor weights = at::softmax(hidden(scores, seen), -1);
  return at::matmul(drop(weights, look.dropout, /*training=*/true), in.values);
}

}  // namespace

Tensor sparse_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const Look& given) {
  const kernels::WithoutAutocast guard;
  Look look = given;
  look.pattern.global = std::min(look.pattern.global, query.size(2));
  if (look.pattern.stride >= query.size(2)) look.pattern.stride = 0;  // columns of one place
  const Inputs in{kernels::widened(query), for_each_head(kernels::widened(keys), query.size(1)),
                  for_each_head(kernels::widened(values), query.size(1)), look};
  const Near near(in);
  std::optional<Global> global;
  std::optional<Strided> strided;
  std::vector<Tensor> scores{near.scores};
  if (look.pattern.global > 0) scores.push_back(global.emplace(in).scores);
  if (look.pattern.stride > 0) scores.push_back(strided.emplace(in).scores);
  std::vector<int64_t> sizes;
  for (const Tensor& part : scores) sizes.push_back(part.size(3));
  const Tensor weights = drop(at::softmax(at::cat(scores, 3), -1), look.dropout, /*training=*/true);
  const auto parts = weights.split_with_sizes(sizes, 3);
  Tensor context = near.context(parts[0]);
  if (global) context = context + global->context(parts[1]);
  if (strided) context = context + strided->context(parts.back());
  if (look.pattern.global > 0)
    context = at::cat({of_global_queries(in),
                       context.narrow(2, look.pattern.global, in.length() - look.pattern.global)},
                      2);
  return context.to(values.scalar_type());
}

SelfAttentionPtr make_sparse(const MultiHeadOptions& options, const Place& place) {
  return std::make_shared<SoftmaxAttention>(options, place);
}

}  // namespace heed::model
