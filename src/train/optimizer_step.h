// The end of an update, once its gradients are summed: their norm, clipping, the optimizer's step,
// the average of weights. On a GPU all of it may be one graph (kernels/graph.h).
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/config.h"
#include "train/optimizer.h"
#include "train/shard.h"

namespace heed::train {

struct UpdatePlan {
  int64_t update = 1;     // its number, from 1
  double rate = 0;        // learning rate
  double loss_scale = 1;  // fp16: small gradients survive, and are divided again
  uint64_t seed = 1;      // of dropout
};

class OptimizerStep {
 public:
  /// All must outlive this object; `average` may be nullptr.
  OptimizerStep(const TrainConfig& config, at::Device device, Optimizer& optimizer,
                Average* average);
  ~OptimizerStep();

  /// `losses` [n] double, on the device, of which the first is that of the update: where it or the
  /// norm is not finite, the weights stay as they are. Returns [n + 1] double: the losses, and the
  /// gradients' norm before clipping and without the loss's scale; its content is valid until the
  /// next call. Collective.
  Tensor run(const Gradients& gradients, const Tensor& losses, const UpdatePlan& plan);

  /// Returns why the step is no graph; empty where it is one.
  const std::string& why_not_recorded() const { return why_not_; }

 private:
  struct Numbers {  // [] float on the device, or [] double on the host
    Tensor rate;    // learning rate
    Tensor scale;   // of the loss; on the device where that is a GPU
    Tensor share;   // of the weights in their average
  };
  struct Recorded;

  Tensor compute(const Gradients& gradients, const Tensor& losses, const Numbers& numbers);
  /// Returns nothing where the step is no graph.
  std::optional<Tensor> launch(const Gradients& gradients, const Tensor& losses,
                               const std::vector<double>& numbers);

  const TrainConfig& config_;
  at::Device device_;
  Optimizer& optimizer_;
  Average* average_;
  std::string why_not_;
  std::unique_ptr<Recorded> recorded_;  // from the first update on, where it is recorded
};

}  // namespace heed::train
