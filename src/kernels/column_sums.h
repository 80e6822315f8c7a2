// The gradient of a bias: sums over all positions.
#pragma once

#include "kernels/tensor.h"

namespace heed::kernels {

/// x [rows, columns] on the CPU, contiguous, fp32 or bf16 -> [columns] fp32, whose bits do not
/// depend on the number of threads. at::sum copies bf16 into fp32 first.
Tensor column_sums(const Tensor& x);

}  // namespace heed::kernels
