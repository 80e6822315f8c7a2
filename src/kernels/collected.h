// A weight that many steps of a recurrence multiply with. Its gradient is one product at the end
// instead of one small product for each step.
#pragma once

#include <memory>

#include "kernels/tensor.h"

namespace heed::kernels {

/// A weight [out, in] and its bias ([out] or undefined) as the steps of one sequence use them.
/// Where no gradient is wanted, off the CPU and for doubles there is no collector, and a step is
/// at::linear.
struct Collected {
  struct Collector;

  Tensor weight, bias;  // the weight is through which autograd waits for every step
  std::shared_ptr<Collector> collector;
};
Collected collected(const Tensor& weight, const Tensor& bias = {});

/// x [..., in] -> [..., out]: x weight^T + bias, in autocast's type where that is on. The twin is
/// at::linear.
Tensor collected_linear(const Tensor& x, const Collected& layer);

}  // namespace heed::kernels
