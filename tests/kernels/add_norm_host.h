// The kernels of add_norm() for a GPU, compiled for a CPU: their text is the same.
#pragma once

#include <ATen/ATen.h>

#include "kernels/layer_norm.h"
#include "kernels/plugin/add_norm_call.h"

namespace heed::kernels::testing {

/// Calls run.operator()<width, T>() of a width that tests have.
template <int width, int... others, class Run>
void for_kind(int64_t wanted, bool half, const Run& run) {
  if (wanted == width && half)
    run.template operator()<width, gpu::Half>();
  else if (wanted == width)
    run.template operator()<width, float>();
  else if constexpr (sizeof...(others) > 0)
    for_kind<others...>(wanted, half, run);
  else
    TORCH_CHECK(false, "no kernel of this width is compiled for a CPU: ", wanted);
}

template <class Run>
void for_kind(const Tensor& weight, const Tensor& x, const Run& run) {
  for_kind<3, 5, 7, 16, 32, 33, 64, 512, 1024, 4096>(weight.numel(),
                                                     x.scalar_type() == at::kBFloat16, run);
}

/// Tensors of the CPU.
inline void on_host(const AddNormForward& call, const gpu::Draw& draw) {
  const gpu::AddNorm arguments = gpu::arguments(call, draw);
  for_kind(call.weight, call.x, [&]<int width, class T>() {
    for (int64_t row = 0; row < call.moments.size(0); ++row)
      gpu::add_norm<width, T>(arguments, static_cast<gpu::Long>(row));
  });
}

inline void on_host(const AddNormBackward& call) {
  const gpu::AddNormGradient arguments = gpu::arguments(call);
  const auto blocks = static_cast<gpu::Long>(call.to_weights.size(0));
  for_kind(call.weight, call.to_x, [&]<int width, class T>() {
    for (gpu::Long block = 0; block < blocks; ++block)
      gpu::add_norm_gradient<width, T>(arguments, block, blocks);
  });
}

/// While one lives, they are switched on.
class Fused {
 public:
  explicit Fused(bool wanted = true) : before_(AddNormKernels::use(wanted)) {}
  ~Fused() { AddNormKernels::use(before_); }
  Fused(const Fused&) = delete;
  Fused& operator=(const Fused&) = delete;

 private:
  bool before_;
};

}  // namespace heed::kernels::testing
