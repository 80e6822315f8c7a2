// Layer norm (Ba et al. 2016) whose result has the type that the next product wants: no copy of it
// in another one. CPU, fp32 inside. The readable twin is at::layer_norm.
#pragma once

#include "kernels/tensor.h"

namespace heed::kernels {

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dimension of x [..., width],
/// weight and bias [width]: in fp32 or, under autocast and where a gradient is wanted, in the
/// products' type. at::layer_norm computes what the kernel does not take (another device or type,
/// no gradient).
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps);

}  // namespace heed::kernels
