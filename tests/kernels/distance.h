// How far two tensors are apart.
#pragma once

#include <ATen/ATen.h>

namespace heed::kernels {

/// The largest difference of two numbers, in fp64.
inline double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

}  // namespace heed::kernels
