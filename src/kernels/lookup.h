// Rows of a table, as word vectors are.
#pragma once

#include "kernels/tensor.h"

namespace heed::kernels {

/// table [rows, width], indices [...] int64 -> [..., width]: at::embedding. On a GPU the table's
/// gradient is added up row by row, in any order, which LibTorch does only after it has sorted the
/// indices by some twenty kernels; with deterministic algorithms it is LibTorch's.
Tensor lookup(const Tensor& table, const Tensor& indices);

}  // namespace heed::kernels
