// Elementwise work on tensors of the CPU, in stretches that their sizes alone decide. A loop that
// is cut by the number of threads rounds otherwise where its vectors end.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor.h"

namespace heed::train {

struct WeightBlock {
  std::size_t tensor = 0;  // which of the list
  int64_t begin = 0, size = 0;

  /// [size], of a tensor as large as that one, in its memory where it is contiguous.
  Tensor of(const Tensor& tensor) const;
};

/// Stretches of at most 65,536 elements, in the order of the list.
std::vector<WeightBlock> blocks_of(const std::vector<Tensor>& tensors);

}  // namespace heed::train
