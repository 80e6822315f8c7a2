// Matrix products with weights. In fp32 on x86 they are oneDNN's, which uses the processor's widest
// vectors on every make; ATen's own choice, MKL, does not.
#pragma once

#include <torch/nn/modules/linear.h>

#include "model/tensor.h"

namespace heed::model::kernels {

/// x [rows, in] times the transpose of w [out, in], whose rows or columns are contiguous, plus bias
/// [out] if defined. Without a gradient.
Tensor times_transposed(const Tensor& x, const Tensor& w, const Tensor& bias = {});

/// at::linear with a gradient: x [..., in], w [out, in], bias [out] or undefined.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias = {});

inline Tensor linear(const torch::nn::LinearImpl& layer, const Tensor& x) {
  return linear(x, layer.weight, layer.bias);
}

}  // namespace heed::model::kernels
