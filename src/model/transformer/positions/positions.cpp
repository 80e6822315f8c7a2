#include "model/transformer/positions/positions.h"

#include <ATen/ATen.h>

#include "kernels/rows/positions.h"
#include "model/device.h"
#include "model/state.h"

namespace heed::model {
namespace {

constexpr int64_t kUsualLength = 1024;

}  // namespace

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
  return state.at.defined() ? add_at(x, state.at, state.end) : add(x, state.position);
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
  const auto positions = [&](int64_t first, int64_t count) {
    return at::arange(first, first + count, at::TensorOptions(query.device()).dtype(at::kLong));
  };
  const Tensor distance =
      positions(first_key, keys).unsqueeze(0) - positions(first_query, queries).unsqueeze(1);
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

Tensor sinusoids(int64_t first, int64_t length, int64_t width) {
  Tensor rows = at::empty({length, width}, at::kFloat);
  kernels::sinusoids(first, length, width, rows.mutable_data_ptr<float>());
  return rows;
}

Tensor unit_rotations(int64_t first, int64_t length, int64_t head) {
  Tensor pairs = at::empty({length, head / 2, 2}, at::kFloat);
  kernels::unit_rotations(first, length, head, pairs.mutable_data_ptr<float>());
  return at::view_as_complex(pairs);
}

PositionTable::PositionTable(MakeRows rows, int64_t width)
    : rows_(rows), width_(width), table_(rows(0, kUsualLength, width)) {}

Tensor PositionTable::rows(int64_t first, int64_t length) const {
  if (first + length <= table_.size(0)) return table_.narrow(0, first, length);
  return upload(rows_(first, length, width_), table_.device()).to(table_.scalar_type());
}

void PositionTable::to(at::Device device, at::ScalarType dtype, bool non_blocking) {
  Module::to(device, dtype, non_blocking);
  table_ = table_.to(device, non_blocking);
  convert(dtype);
}

void PositionTable::to(at::ScalarType dtype, bool non_blocking) {
  Module::to(dtype, non_blocking);
  convert(dtype);
}

void PositionTable::to(at::Device device, bool non_blocking) {
  Module::to(device, non_blocking);
  table_ = table_.to(device, non_blocking);
}

void PositionTable::convert(at::ScalarType dtype) {
  // LibTorch hardly supports complex numbers of half width: rotations stay in fp32 for narrower
  // types.
  const bool wide = dtype == at::kDouble;
  table_ = table_.to(table_.is_complex() ? (wide ? at::kComplexDouble : at::kComplexFloat) : dtype);
}

}  // namespace heed::model
