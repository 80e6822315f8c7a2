// Gradients to updates, by the formula of the configuration's optimizer (train/optimizers/). What
// is kept between updates has names and is saved with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/pointer.h"
#include "model/weights.h"
#include "train/config.h"
#include "train/kinds.h"
#include "train/optimizers/formula.h"
#include "train/shard.h"

namespace heed::train {

using at::Tensor;

class Optimizer {
 public:
  /// Works on the shard's pieces; the shard must outlive this object.
  Optimizer(const TrainConfig& config, Shard& shard);

  Shard& shard() const { return shard_; }

  /// sqrt of the sum of all squared gradients, of Shard::sum(): [] float on the device. Collective.
  Tensor gradient_norm(const Gradients& gradients) const;

  /// One update with gradients, of Shard::sum(), divided by `divisor` ([] float); where `skip` ([]
  /// float, on the device) is 1 nothing changes. `rate`: [] double on the host, or [] float on the
  /// device. On a GPU the host reads none of these for an optimizer that takes tensors
  /// (StepTakes::kTensors); for one that takes numbers it reads `skip` and `rate`. The gradients'
  /// content is undefined afterwards. On a CPU no bit depends on the number of threads or ranks,
  /// here as in gradient_norm(). Collective.
  void step(const Tensor& rate, const Gradients& gradients, const Tensor& divisor,
            const Tensor& skip);

  /// "exp_avg/encoder.weight" and so on, whole. Collective.
  NamedTensors state() const;
  /// Throws UserError naming `origin` for the state of another optimizer or model.
  void load_state(const NamedTensors& state, const std::string& origin);

 private:
  StepLists lists(const Gradients& gradients) const;
  Tensor squares(const Gradients& gradients) const;
  void step_of(const StepLists& some, const StepNumbers& numbers) const;

  TrainConfig config_;
  const OptimizerInfo& info_;
  StepFormula formula_;
  Shard& shard_;
  std::vector<Tensor> counts_;  // of each parameter, [] float: updates so far, or none
  std::vector<std::vector<Tensor>> moments_;  // each of all pieces, [size]
};

/// Returns the number by which gradients are divided: `scale` (of the loss, for fp16) times the
/// factor that shortens them to the norm `clip` (0: never). It is [] float on the device of `norm`,
/// which is the norm of the scaled gradients. As a tensor `scale` may be on the host or the device.
Tensor gradient_divisor(const Tensor& norm, double clip, double scale);
Tensor gradient_divisor(const Tensor& norm, double clip, const Tensor& scale);

/// A running average of the weights: average += (1 - d) * (weights - average), d = decay, less
/// while there are few updates: min(decay, (1 + t) / (10 + t)).
class Average {
 public:
  /// Works on the shard's pieces; the shard must outlive this object.
  Average(Shard& shard, double decay);

  /// `share`: 1 - d as [] double on the host or [] float on the device.
  void update(const Tensor& share);
  double share(int64_t t) const;  // 1 - d; t: updates so far, from 1

  Shard& shard() const { return shard_; }
  /// Returns whole tensors of all parameters. Collective.
  NamedTensors tensors() const { return shard_.whole(average_); }
  /// Throws UserError naming `origin` where names or shapes differ.
  void load(const NamedTensors& tensors, const std::string& origin);

 private:
  Shard& shard_;
  std::vector<Tensor> average_;  // of each piece, [size]
  double decay_;
};

/// The weights are averaged ones; nothing is replaced for nullptr. Collective.
model::Replaced averaged(const Average* average);

/// With Quantise::int8 replaces the matrices of products by what engine::Matrix makes of them: in
/// each row round(w / s) s, s = max |w| / 127. Gradients at these weights are taken as those of the
/// weights themselves (the straight-through estimator, Bengio et al. 2013). In a model with
/// adapters these are the matrices that have an adapter, together with it.
model::Replaced quantised(model::Model& model, Quantise quantise);

}  // namespace heed::train
