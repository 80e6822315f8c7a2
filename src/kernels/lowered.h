// Linear layers on a GPU whose weights were converted to the type of their products beforehand, for
// all layers at once. Autocast converts each weight and each weight's gradient by a kernel of its
// own: a fifth of the kernels of a small update.
#pragma once

#include <memory>

#include "kernels/side_work.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// A layer's weights in the type of its products, bf16 or fp16, and where their gradients go.
struct LoweredWeights {
  Tensor weight;  // [out, in]
  Tensor bias;    // [out], or undefined
  // fp32, of the sizes above. A backward pass writes them, and autograd sees no gradient of the
  // weights. Undefined where no gradient is wanted.
  Tensor weight_gradient, bias_gradient;
  SideWork* side = nullptr;  // where gradients are computed, if anywhere else
  bool written = false;      // whether a backward pass has written the gradients
};

/// x [..., in] -> [..., out] in the weights' type, as at::linear with autocast and `weight`, the
/// trained one of which `lowered` has a copy. In one backward pass a layer's gradients can be
/// written once.
Tensor lowered_linear(const Tensor& x, const Tensor& weight,
                      const std::shared_ptr<LoweredWeights>& lowered);

/// a [rows, inner] times b [inner, columns] in fp32; `out` is fp32. The factors are of one type. A
/// GPU does not round the sums to this type.
void product_in_fp32(const Tensor& out, const Tensor& a, const Tensor& b);

}  // namespace heed::kernels
