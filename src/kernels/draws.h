// Where training takes its random numbers from.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace heed::kernels {

/// While one lives, what this thread draws follows from `seed` alone, and so does what a GPU draws.
class Draws {
 public:
  explicit Draws(uint64_t seed, const at::Device& device = at::kCPU);
  ~Draws();
  Draws(const Draws&) = delete;
  Draws& operator=(const Draws&) = delete;

  /// For the CPU: of the innermost one of this thread, else ATen's default generator.
  static at::Generator generator();

 private:
  at::Generator before_;
};

}  // namespace heed::kernels
