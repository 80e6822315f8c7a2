// The one alias for tensors, and the types that heed computes in, without the weight of
// <torch/torch.h>.
#pragma once

#include <ATen/core/Tensor.h>

namespace heed {
using at::Tensor;
}  // namespace heed

namespace heed::kernels {

/// The types that the kernels for a CPU know.
inline bool is_fp32_or_bf16(at::ScalarType type) {
  return type == at::kFloat || type == at::kBFloat16;
}
inline bool is_fp32_or_bf16(const Tensor& x) {
  return is_fp32_or_bf16(x.scalar_type());
}

/// The numbers of x, which are stored as T; uint16_t stands for bf16.
template <class T>
T* numbers(const Tensor& x) {
  return static_cast<T*>(x.data_ptr());
}

}  // namespace heed::kernels
