// A weight that many steps of a recurrence multiply with, and whose gradient is one product at the
// end instead of one small product for each step.
#pragma once

#include "model/tensor.h"

namespace heed::model::kernels {

/// A stand-in for `weight` [out, in] and `bias` ([out] or undefined) in collected_linear(), for the
/// steps of one sequence. Where no gradient is wanted, off the CPU and for doubles it does nothing
/// special.
struct Collected {
  Tensor weight, bias;
};
Collected collected(const Tensor& weight, const Tensor& bias = {});

/// x [..., in] -> [..., out]: x weight^T + bias, in autocast's type where that is on. The twin is
/// at::linear.
Tensor collected_linear(const Tensor& x, const Collected& layer);

}  // namespace heed::model::kernels
