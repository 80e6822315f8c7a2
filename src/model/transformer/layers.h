// LibTorch's layers by heed's kernels.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "kernels/layer_norm.h"
#include "kernels/product.h"

namespace heed::model {

inline Tensor linear(const torch::nn::LinearImpl& layer, const Tensor& x) {
  return kernels::linear(x, layer.weight, layer.bias);
}

inline Tensor layer_norm(const torch::nn::LayerNorm& layer, const Tensor& x) {
  return kernels::layer_norm(x, layer->weight, layer->bias, layer->options.eps());
}

}  // namespace heed::model
