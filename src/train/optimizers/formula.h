// The formula of each optimizer: one line of train/optimizers.def and one function, over lists of
// tensors. Each number of a weight is computed alone, so that pieces may be cut anywhere.
#pragma once

#include <optional>
#include <vector>

#include "kernels/tensor.h"
#include "train/config.h"

namespace heed::train {

/// Tensors of the same shapes, one of each list belongs together: the pieces of weights that have a
/// gradient, or a stretch of one of them. What a step changes are weights and moments; the content
/// of the gradients is undefined afterwards.
struct StepLists {
  std::vector<Tensor> weights, gradients;
  std::vector<Tensor> counts;  // kCounted: [] float, updates so far, this one included
  std::vector<std::vector<Tensor>>
      moments;  // in the order of the line; zeros before the first step
};

/// The numbers that a step of StepTakes::kTensors reads; other steps read only the rate.
struct StepNumbers {
  Tensor rate;                  // [] double on the host, or [] float on the device
  std::optional<Tensor> scale;  // [] float: gradients are to be divided by it; none: by nothing
  Tensor skip;                  // [] float: where it is 1 nothing may change

  /// kNumbers: the learning rate.
  double rate_now() const { return rate.item<double>(); }
};

using StepFormula = void (*)(const TrainConfig& config, const StepNumbers& numbers,
                             const StepLists& lists);

#define HEED_OPTIMIZER(name, ...) \
  void name##_step(const TrainConfig& config, const StepNumbers& numbers, const StepLists& lists);
#include "train/optimizers.def"
#undef HEED_OPTIMIZER

StepFormula step_formula(OptimizerKind kind);

}  // namespace heed::train
