// LibTorch's layers by heed's kernels, and the sums between a Transformer's sublayers.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <vector>

#include "kernels/add_norm.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/rows/layer_norm.h"
#include "model/embedding.h"

namespace heed::model {

/// Linear layers of these widths stacked into one, each with Xavier's uniform weights (Glorot and
/// Bengio 2010, eq. 16); biases are zeros.
torch::nn::Linear xavier_linear(int64_t in, const std::vector<int64_t>& outs, bool bias);

inline Tensor linear(const torch::nn::LinearImpl& layer, const Tensor& x) {
  return kernels::linear(x, layer.weight, layer.bias);
}

inline torch::nn::LayerNorm make_layer_norm(int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(kernels::kNormEpsilon));
}

inline Tensor layer_norm(const torch::nn::LayerNorm& layer, const Tensor& x) {
  return kernels::layer_norm(x, layer->weight, layer->bias, layer->options.eps());
}

/// What goes from one sublayer to the next: `x`, and what is still to be added to it, if anything
/// is. The next layer norm needs the sum, and a GPU has one kernel for both.
struct Stream {
  Tensor x;
  Tensor added = {};
};

/// The sum of `stream`, with dropout of what is added, and its layer norm.
inline kernels::SumAndNorm add_norm(const torch::nn::LayerNorm& layer, const Stream& stream,
                                    double dropout, bool training) {
  const auto& [x, added] = stream;
  if (!added.defined()) return {x, layer_norm(layer, x)};
  if (kernels::can_add_norm(x, added, layer->weight))
    return kernels::add_norm(x, added, training ? dropout : 0, layer->weight, layer->bias,
                             layer->options.eps());
  const Tensor sum = add_dropped(x, added, dropout, training);
  return {sum, layer_norm(layer, sum)};
}

}  // namespace heed::model
