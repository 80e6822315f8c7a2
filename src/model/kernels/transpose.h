// A matrix turned over, in blocks that stay in the processor's nearest cache.
#pragma once

#include "model/tensor.h"

namespace heed::model::kernels {

/// The transpose of x [rows, columns], fp32 on the CPU and contiguous: [columns, rows], contiguous.
Tensor transposed(const Tensor& x);

}  // namespace heed::model::kernels
