#include "train/weight_blocks.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace heed::train {

Tensor WeightBlock::of(const Tensor& tensor) const {
  return tensor.reshape({-1}).narrow(0, begin, size);
}

std::vector<WeightBlock> blocks_of(const std::vector<Tensor>& tensors) {
  constexpr int64_t kMost = 1 << 16;
  std::vector<WeightBlock> blocks;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    for (int64_t begin = 0; begin < tensors[i].numel(); begin += kMost)
      blocks.push_back({i, begin, std::min(kMost, tensors[i].numel() - begin)});
  return blocks;
}

}  // namespace heed::train
