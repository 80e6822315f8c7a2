// The one alias for tensors, without the weight of <torch/torch.h>.
#pragma once

#include <ATen/core/Tensor.h>

namespace heed::model {
using at::Tensor;
}  // namespace heed::model
