#include "model/transformer/positions.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "model/device.h"
#include "model/initial.h"

namespace heed::model {
namespace {

constexpr int64_t kUsualLength = 1024;
constexpr double kBase = 10000;

/// [length, pairs] double: position / 10000^(2i / width) for i = 0..pairs - 1.
Tensor angles(int64_t first, int64_t length, int64_t pairs, int64_t width) {
  const Tensor positions = at::arange(first, first + length, at::kDouble).unsqueeze(1);
  const Tensor exponents = at::arange(0, 2 * pairs, 2, at::kDouble) / static_cast<double>(width);
  return positions * at::pow(kBase, exponents).reciprocal();
}

/// [length, head / 2] complex: the unit number of each angle.
Tensor unit_rotations(int64_t first, int64_t length, int64_t head) {
  const Tensor angle = angles(first, length, head / 2, head);
  return at::polar(at::ones_like(angle), angle).to(at::kComplexFloat);
}

Tensor rotate(const Tensor& x, const Tensor& rotations) {
  const bool wide = x.scalar_type() == at::kDouble;
  const Tensor pairs =
      at::view_as_complex(x.to(wide ? at::kDouble : at::kFloat).unflatten(-1, {-1, 2}));
  return at::view_as_real(pairs * rotations).flatten(-2).to(x.scalar_type());
}

}  // namespace

Tensor sinusoids(int64_t first, int64_t length, int64_t width) {
  const Tensor angle = angles(first, length, (width + 1) / 2, width);
  const Tensor waves =
      at::stack({angle.sin(), angle.cos()}, 2).flatten(1);  // [length, width or one more]
  return waves.narrow(1, 0, width).to(at::kFloat).contiguous();
}

Tensor rotations(int64_t first, int64_t length, int64_t head) {
  return at::view_as_real(unit_rotations(first, length, head)).flatten(1).contiguous();
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

Positioning::Positioning(Positions kind, int64_t width, int64_t longest) {
  if (kind == Positions::sinusoidal)
    sinusoidal_ = register_module("table", std::make_shared<PositionTable>(&sinusoids, width));
  if (kind == Positions::learned) learned_ = register_parameter("weight", normal(longest, width));
}

Tensor Positioning::rows(int64_t first, int64_t length) const {
  if (sinusoidal_) return sinusoidal_->rows(first, length);
  if (!learned_.defined()) return {};
  if (first + length > learned_.size(0))
    throw UserError("a sentence of " + std::to_string(first + length) +
                    " pieces, the model's learned positions end at " +
                    std::to_string(learned_.size(0)) +
                    "; shorten it, or train with larger model.max_positions or model.positions: "
                    "sinusoidal");
  return learned_.narrow(0, first, length);
}

Tensor Positioning::add(const Tensor& x, int64_t first) const {
  const Tensor vectors = rows(first, x.size(1));
  return vectors.defined() ? x + vectors : x;
}

Tensor Positioning::add_at(const Tensor& x, const Tensor& positions) const {
  const Tensor vectors = rows(0, positions.max().item<int64_t>() + 1);
  return vectors.defined() ? x + at::embedding(vectors, positions) : x;
}

int64_t Positioning::longest() const {
  return learned_.defined() ? learned_.size(0) : std::numeric_limits<int64_t>::max();
}

Rotary::Rotary(int64_t head)
    : rotations_(register_module("table", std::make_shared<PositionTable>(&unit_rotations, head))) {
  expect(head % 2 == 0, "rotary positions need heads of even width");
}

Tensor Rotary::forward(const Tensor& x, int64_t first) const {
  return rotate(x, rotations_->rows(first, x.size(1)).unsqueeze(1));  // [length, 1, head / 2]
}

Tensor Rotary::forward_at(const Tensor& x, const Tensor& positions) const {
  const Tensor all = rotations_->rows(0, positions.max().item<int64_t>() + 1);
  return rotate(x, all.index_select(0, positions).unsqueeze(1));  // [positions, 1, head / 2]
}

Tensor Rotary::at_position(const Tensor& x, int64_t position) const {
  return rotate(x, rotations_->rows(position, 1));
}

}  // namespace heed::model
