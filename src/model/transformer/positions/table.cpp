#include "model/transformer/positions/table.h"

#include <ATen/ATen.h>

#include "kernels/rows/positions.h"
#include "model/device.h"

namespace heed::model {
namespace {

constexpr int64_t kUsualLength = 1024;

}  // namespace

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
  // Complex numbers of half width hardly exist: rotations stay in fp32 below it.
  const bool wide = dtype == at::kDouble;
  table_ = table_.to(table_.is_complex() ? (wide ? at::kComplexDouble : at::kComplexFloat) : dtype);
}

}  // namespace heed::model
