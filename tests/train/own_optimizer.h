// An optimizer of all of a model's weights, for tests that put gradients there themselves, and the
// parts of batches, as the training loop gets them.
#pragma once

#include <utility>
#include <vector>

#include "data/batch.h"
#include "train/optimizer.h"

namespace heed::train {

struct OwnShard {
  explicit OwnShard(const model::Model& model) : shard(model, group) {}
  ranks::Group group;
  Shard shard;
};

struct OwnOptimizer : OwnShard {
  OwnOptimizer(const TrainConfig& config, const model::Model& model)
      : OwnShard(model), optimizer(config, shard), model_(model) {}

  /// Makes a step with the gradients that the parameters have.
  void step(double rate, const Tensor& divisor, const Tensor& skip) {
    optimizer.step(at::scalar_tensor(rate, at::kDouble), gradients(), divisor, skip);
  }
  Tensor gradient_norm() { return optimizer.gradient_norm(gradients()); }
  NamedTensors state() const { return optimizer.state(); }
  void load_state(const NamedTensors& state, const std::string& origin) {
    optimizer.load_state(state, origin);
  }

  Optimizer optimizer;

 private:
  Gradients gradients() {
    Gradients all;
    for (const auto& [name, parameter] : trainable(model_)) all.push_back(parameter.grad());
    return shard.sum(1, {all});
  }
  const model::Model& model_;
};

inline std::vector<data::Batch> parts_of(const std::vector<data::Batch>& batches,
                                         const TrainConfig& config) {
  std::vector<data::Batch> parts;
  for (const data::Batch& batch : batches)
    for (data::Batch& part : data::parts_of(batch, parts_per_batch(config)))
      parts.push_back(std::move(part));
  return parts;
}

}  // namespace heed::train
