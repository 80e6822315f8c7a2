// Inputs of the operators of the table, the same for every device and precision, and gradients.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <functional>

#include "devices/table.h"

namespace heed::devices {

/// Integers, masks and numbers of a CPU moved to the device of `on`, numbers in its `wide` type.
Tensor put(const DevicePrecision& on, const Tensor& host);

/// Normally distributed numbers, drawn in fp64 by a generator of the CPU.
class Numbers {
 public:
  explicit Numbers(const DevicePrecision& on, uint64_t seed = 7);

  Tensor host(at::IntArrayRef sizes);   // fp64, on the CPU
  Tensor there(at::IntArrayRef sizes);  // put()
  Tensor leaf(at::IntArrayRef sizes);   // the same, with a gradient

 private:
  DevicePrecision on_;
  at::Generator generator_;
};

/// [rows, longest] bool on the device of `on`: the first `lengths` of each row.
Tensor first_of_rows(const DevicePrecision& on, const std::vector<int64_t>& lengths,
                     int64_t longest);

/// Moves what was made on the CPU to `on`, all weights away from where they begin: biases of 0
/// and norms of 1 matter.
void settle(torch::nn::Module& module, const DevicePrecision& on);

Tensors parameters_of(const torch::nn::Module& module);

/// `results` on the CPU in fp64.
Values values_of(const Tensors& results);

/// The results of `forward` and the gradients of their sum, weighed by fixed numbers, by each of
/// `leaves` that matters. As in training: forward under autocast, backward after it.
Values with_gradients(const DevicePrecision& on, const Tensors& leaves,
                      const std::function<Tensors()>& forward);

}  // namespace heed::devices
