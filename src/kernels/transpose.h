// The transpose of a matrix.
#pragma once

#include "kernels/tensor.h"

namespace heed::kernels {

/// The transpose of x [rows, columns], contiguous on the CPU, in `type`: [columns, rows],
/// contiguous. x and `type` are fp32 or bf16.
Tensor transposed(const Tensor& x, at::ScalarType type);

inline Tensor transposed(const Tensor& x) {
  return transposed(x, x.scalar_type());
}

}  // namespace heed::kernels
