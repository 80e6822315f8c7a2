// Constants with a row for each position.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "kernels/tensor.h"

namespace heed::model {

/// As those of kernels/rows/positions.h: [length, width] float and [length, head / 2] complex, on
/// the CPU.
Tensor sinusoids(int64_t first, int64_t length, int64_t width);
Tensor unit_rotations(int64_t first, int64_t length, int64_t head);

/// A constant with a row for each position, computed once for usual lengths and, beyond, when
/// asked. It moves with its owner but is no weight: it is not saved.
class PositionTable : public torch::nn::Module {
 public:
  using MakeRows = Tensor (*)(int64_t first, int64_t length, int64_t width);
  PositionTable(MakeRows rows, int64_t width);

  /// [length, ...] for the positions from `first`.
  Tensor rows(int64_t first, int64_t length) const;

  using torch::nn::Module::to;
  void to(at::Device device, at::ScalarType dtype, bool non_blocking) override;
  void to(at::ScalarType dtype, bool non_blocking) override;
  void to(at::Device device, bool non_blocking) override;

 private:
  void convert(at::ScalarType dtype);
  MakeRows rows_;
  int64_t width_;
  Tensor table_;
};

}  // namespace heed::model
