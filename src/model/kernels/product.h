// Matrix products with weights. In fp32 on x86 they are oneDNN's, which uses the processor's widest
// vectors on every make; ATen's own choice, MKL, does not.
#pragma once

#include <torch/nn/modules/linear.h>

#include "model/tensor.h"

namespace heed::model::kernels {

/// x [rows, in] times the transpose of w [out, in], whose rows or columns are contiguous, plus bias
/// [out] if defined. Without a gradient.
Tensor times_transposed(const Tensor& x, const Tensor& w, const Tensor& bias = {});

/// w [out, in] with contiguous columns: how oneDNN takes it best where x has few rows. Worth it for
/// the many steps of a recurrence. Without a gradient.
Tensor for_few_rows(const Tensor& w);

/// The gradient of such a w: the transpose of `outer` [rows, out] times x [rows, in], [out, in],
/// contiguous. Without a gradient of its own.
Tensor weight_gradient(const Tensor& outer, const Tensor& x);

/// at::linear with a gradient: x [..., in], w [out, in], bias [out] or undefined.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias = {});

inline Tensor linear(const torch::nn::LinearImpl& layer, const Tensor& x) {
  return linear(x, layer.weight, layer.bias);
}

}  // namespace heed::model::kernels
