// Gradients against central differences, in double precision.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/tensor.h"

namespace heed::model::testing {

using Loss = std::function<Tensor()>;  // a number that depends on the leaves

/// (f(x + step) - f(x - step)) / (2 step) where `move(by)` adds `by` to x.
template <class Move>
double central_difference(const Loss& loss, const Move& move) {
  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  move(kStep);
  const double above = loss().item<double>();
  move(-2 * kStep);
  const double below = loss().item<double>();
  move(kStep);
  return (above - below) / (2 * kStep);
}

struct GradientCheck {
  double largest = 0;  // entry of the leaf's gradient; 0: the loss does not depend on it
  double error = 0;    // how far it is from central differences, in units of max(1, |slope|)
};

inline double relative(double gradient, double slope) {
  return std::abs(gradient - slope) / std::max(1.0, std::abs(slope));
}

/// The gradient of `loss` by each leaf; zeros where it does not depend on it.
inline std::vector<Tensor> gradients_of(const Loss& loss, const std::vector<Tensor>& leaves) {
  const at::AutoGradMode with_gradients(true);
  const Tensor value = loss();
  std::vector<Tensor> found(leaves.size());
  if (value.requires_grad())
    found = torch::autograd::grad({value}, leaves, {}, std::nullopt, false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (!found[i].defined()) found[i] = at::zeros_like(leaves[i]);
  return found;
}

/// Every entry of one leaf by itself.
inline GradientCheck check_entries(const Tensor& leaf, const Loss& loss) {
  const Tensor gradient = gradients_of(loss, {leaf})[0].contiguous();
  GradientCheck check{gradient.abs().max().item<double>(), 0};
  const Tensor entries = leaf.detach().view(-1);  // shares the leaf's memory
  for (int64_t i = 0; i < leaf.numel(); ++i) {
    const double slope =
        central_difference(loss, [&](double by) { entries.select(0, i).add_(by); });
    check.error = std::max(check.error, relative(gradient.view(-1)[i].item<double>(), slope));
  }
  return check;
}

/// Each leaf along a random direction of all its entries: two evaluations see every one of them.
inline std::vector<GradientCheck> check_directions(const std::vector<Tensor>& leaves,
                                                   const Loss& loss) {
  const std::vector<Tensor> gradients = gradients_of(loss, leaves);
  std::vector<GradientCheck> checks;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Tensor direction = at::randn_like(leaves[i]).detach(), values = leaves[i].detach();
    const double slope = central_difference(loss, [&](double by) { values.add_(direction, by); });
    checks.push_back({gradients[i].abs().max().item<double>(),
                      relative((gradients[i] * direction).sum().item<double>(), slope)});
  }
  return checks;
}

}  // namespace heed::model::testing
