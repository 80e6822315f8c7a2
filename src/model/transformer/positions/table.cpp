#include "model/transformer/positions/table.h"

#include <ATen/ATen.h>

#include "model/device.h"

namespace heed::model {
namespace {

constexpr int64_t kUsualLength = 1024;

/// [length, pairs] double: position / 10000^(2i / width) for i = 0..pairs - 1.
Tensor angles(int64_t first, int64_t length, int64_t pairs, int64_t width) {
  const Tensor positions = at::arange(first, first + length, at::kDouble).unsqueeze(1);
  const Tensor exponents = at::arange(0, 2 * pairs, 2, at::kDouble) / static_cast<double>(width);
  return positions * at::pow(kPositionBase, exponents).reciprocal();
}

}  // namespace

Tensor sinusoids(int64_t first, int64_t length, int64_t width) {
  const Tensor angle = angles(first, length, (width + 1) / 2, width);
  const Tensor waves =
      at::stack({angle.sin(), angle.cos()}, 2).flatten(1);  // [length, width or one more]
  return waves.narrow(1, 0, width).to(at::kFloat).contiguous();
}

Tensor unit_rotations(int64_t first, int64_t length, int64_t head) {
  const Tensor angle = angles(first, length, head / 2, head);
  return at::polar(at::ones_like(angle), angle).to(at::kComplexFloat);
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
  // Complex numbers of half width hardly exist: rotations stay in fp32 below it.
  const bool wide = dtype == at::kDouble;
  table_ = table_.to(table_.is_complex() ? (wide ? at::kComplexDouble : at::kComplexFloat) : dtype);
}

}  // namespace heed::model
