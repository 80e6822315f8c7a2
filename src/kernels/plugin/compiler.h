// NVRTC, CUDA's compiler as a library, which comes with each LibTorch for CUDA. It needs no GPU.
#pragma once

#include <cstdint>
#include <string>

namespace heed::kernels::gpu {

/// What kernels are compiled for.
struct KernelKind {
  int64_t width = 0;   // of a row
  bool half = false;   // numbers in bf16, else in fp32
  int capability = 0;  // of the GPU: 90 for sm_90

  auto operator<=>(const KernelKind&) const = default;
};

/// Why NVRTC cannot be loaded; empty where it can.
std::string why_no_compiler();

/// Machine code with the functions heed_add_norm and heed_add_norm_gradient (add_norm.cuh). Throws
/// c10::Error with what the compiler says.
std::string add_norm_code(const KernelKind& kind);

}  // namespace heed::kernels::gpu
