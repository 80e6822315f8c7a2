// Dropout whose mask is never stored: a hash of a seed and the index of a number says whether it is
// kept, in the forward pass and again in the backward pass. CPU, fp32 and bf16; the readable twin
// is at::dropout. `Draws` is the source of training's random numbers.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "kernels/tensor.h"

namespace heed::kernels {

/// While an object lives, the random numbers of this thread follow from `seed` alone, and so do
/// those of the GPU `device`.
class Draws {
 public:
  explicit Draws(uint64_t seed, const at::Device& device = at::kCPU);
  ~Draws();
  Draws& operator=(Draws&&) = delete;

  /// The generator for the CPU: that of the innermost living Draws of this thread, else ATen's
  /// default one.
  static at::Generator generator();

 private:
  at::Generator before_;
};

/// Whether dropout() can take this tensor; others are for at::dropout.
bool can_drop(const Tensor& x);

/// Each number of x becomes 0 with probability `share`, 0 < share < 1, else x / (1 - share). The
/// seed is drawn from Draws::generator().
Tensor dropout(const Tensor& x, double share);

/// Whether add_dropped() can take these tensors: they have one shape, and one type or an fp32
/// residual.
bool can_add_dropped(const Tensor& residual, const Tensor& x);

/// residual + dropout(x) in one pass, of the residual's type.
Tensor add_dropped(const Tensor& residual, const Tensor& x, double share);

}  // namespace heed::kernels
