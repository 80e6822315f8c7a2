// What a GPU can do, asked of CUDA's runtime without its headers.
#pragma once

#include <c10/core/Device.h>

namespace heed::kernels {

/// The first number of the GPU's compute capability, 8 for Ampere and 9 for Hopper; 0 where CUDA is
/// not loaded or does not say.
int compute_capability(const c10::Device& device);

}  // namespace heed::kernels
