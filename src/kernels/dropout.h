// Dropout whose mask is never stored: a hash of a seed and the place says what is kept, in the
// forward pass and again in the backward pass. CPU, fp32 and bf16; the readable twin is
// at::dropout. And where training takes its random numbers from.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "kernels/tensor.h"

namespace heed::kernels {

/// While one lives, what this thread draws follows from `seed` alone, and so does what a GPU draws.
class Draws {
 public:
  explicit Draws(uint64_t seed, const at::Device& device = at::kCPU);
  ~Draws();
  Draws& operator=(Draws&&) = delete;

  /// For the CPU: of the innermost one of this thread, else ATen's default generator.
  static at::Generator generator();

 private:
  at::Generator before_;
};

/// Whether `dropout` can take such a tensor; others are for at::dropout.
bool can_drop(const Tensor& x);

/// x / (1 - share) where kept, 0 elsewhere, each place with probability `share`, 0 < share < 1. The
/// seed is drawn from Draws::generator().
Tensor dropout(const Tensor& x, double share);

/// Whether `add_dropped` can take them: one shape, and one type or an fp32 residual.
bool can_add_dropped(const Tensor& residual, const Tensor& x);

/// residual + dropout(x) in one pass, of the residual's type.
Tensor add_dropped(const Tensor& residual, const Tensor& x, double share);

}  // namespace heed::kernels
