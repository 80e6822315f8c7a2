#include "model/transformer/positions/positions.h"

#include <ATen/ATen.h>

#include "model/device.h"
#include "model/model.h"

namespace heed::model {

ScoresByDistance Positions::by_distance(int64_t layer, int64_t length,
                                        const std::vector<int64_t>& heads) const {
  ScoresByDistance scores = by_distance(layer, length);
  if (scores.numbers.defined() && !heads.empty())
    scores.numbers = scores.numbers.index_select(0, upload_numbers(heads, scores.numbers.device()));
  return scores;
}

Tensor Positions::add(const Tensor& x, int64_t first) const {
  const Tensor added = vectors(first, x.size(1));
  return added.defined() ? x + added : x;
}

Tensor Positions::add_at(const Tensor& x, const Tensor& positions, int64_t end) const {
  const Tensor added = vectors(0, end);
  return added.defined() ? x + at::embedding(added, positions) : x;
}

Tensor Positions::add_step(const Tensor& x, const State& state) const {
  if (!state.at.defined()) return add(x, state.position);
  const Tensor all = vectors(0, state.end);
  return all.defined() ? x + all.index_select(0, state.at) : x;
}

Tensor turned(const Tensor& x, const Tensor& rotations) {
  const bool wide = x.scalar_type() == at::kDouble;
  const Tensor pairs =
      at::view_as_complex(x.to(wide ? at::kDouble : at::kFloat).unflatten(-1, {-1, 2}));
  return at::view_as_real(pairs * rotations).flatten(-2).to(x.scalar_type());
}

Tensor added_scores(const ScoresByDistance& scores, const Tensor& query, double scale,
                    int64_t first_query, int64_t first_key, int64_t keys) {
  const kernels::WithoutAutocast guard;
  const int64_t queries = query.size(2);
  const auto places = [&](int64_t first, int64_t count) {
    return at::arange(first, first + count, at::TensorOptions(query.device()).dtype(at::kLong));
  };
  const Tensor distance =
      places(first_key, keys).unsqueeze(0) - places(first_query, queries).unsqueeze(1);
  const Tensor index = distance.clamp(-scores.reach, scores.reach) + scores.reach;
  Tensor added;
  if (scores.numbers.defined())
    added = kernels::widened(scores.numbers)
                .index_select(1, index.flatten())
                .view({1, -1, queries, keys});
  if (!scores.vectors.defined()) return added;
  const Tensor products =
      at::matmul(kernels::widened(query), kernels::widened(scores.vectors).t()) * scale;
  const Tensor chosen =
      products.gather(3, index.expand({query.size(0), query.size(1), queries, keys}));
  return added.defined() ? added + chosen : chosen;
}

Tensor numbers_by_distance(const ScoresByDistance& scores, const Tensor& query, double scale) {
  const kernels::WithoutAutocast guard;
  Tensor all;
  if (scores.numbers.defined()) all = kernels::widened(scores.numbers).unsqueeze(0);
  if (!scores.vectors.defined()) return all;
  const Tensor products =
      at::matmul(kernels::widened(query), kernels::widened(scores.vectors).t()) * scale;
  return all.defined() ? all + products : products;
}

}  // namespace heed::model
