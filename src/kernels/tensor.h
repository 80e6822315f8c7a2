// The one alias for tensors, and the types that heed computes in: fp32 where it is wanted, whatever
// the precision of the products around. It spares its readers the compile time of <torch/torch.h>.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>

namespace heed {
using at::Tensor;
}  // namespace heed

namespace heed::kernels {

/// Whether it is one of the types that the kernels for a CPU know.
inline bool is_fp32_or_bf16(at::ScalarType type) {
  return type == at::kFloat || type == at::kBFloat16;
}
inline bool is_fp32_or_bf16(const Tensor& x) {
  return is_fp32_or_bf16(x.scalar_type());
}

/// Switches autocast off for the lifetime of this object: products are computed in the type of
/// their factors.
class WithoutAutocast {
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

/// x in fp32, or in double where it is in double already.
inline Tensor widened(const Tensor& x) {
  return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
}

/// The numbers of x, which are stored as T; uint16_t stands for bf16.
template <class T>
T* numbers(const Tensor& x) {
  return static_cast<T*>(x.data_ptr());
}

/// Calls work<T>(), where T is the type in which numbers of `type`, fp32 or bf16, are stored.
template <class Work>
decltype(auto) as_stored(at::ScalarType type, const Work& work) {
  return type == at::kFloat ? work.template operator()<float>()
                            : work.template operator()<uint16_t>();
}

}  // namespace heed::kernels
