// Operators that gradients go through: in fp32, whatever the precision.
#include <limits>

#include "accelerator/support.h"
#include "devices/inputs.h"
#include "every.h"
#include "train/own_optimizer.h"

namespace heed::devices {
namespace {

/// Weights to update.
struct Weights {
  model::ModelPtr model;
  Numbers numbers;

  explicit Weights(const DevicePrecision& on)
      : model(model::testing::model_of(model::testing::small_transformer(), accelerator::kPieces)),
        numbers(on) {
    model->to(on.device, on.wide());
  }

  void draw_gradients() {
    for (Tensor& parameter : model->parameters())
      parameter.mutable_grad() = numbers.there(parameter.sizes());
  }
};

/// The changes from `before`, of a step's length: the weights themselves would hide it.
Tensors changes(const Tensors& after, const Tensors& before) {
  Tensors out;
  for (const auto& [name, weight] : after) out[name] = weight - before.at(name);
  return out;
}

Tensors copies(const model::Model& model) {
  Tensors out;
  for (const auto& [name, weight] : train::trainable(model)) out[name] = weight.detach().clone();
  return out;
}

/// Three updates, with gradients that are shortened, and one that is left out.
Operator optimizer(train::OptimizerKind kind) {
  const auto compute = [kind](const DevicePrecision& on) {
    train::TrainConfig config;
    config.optimizer = kind;
    config.weight_decay = 0.1;
    config.epsilon = 1e-4;
    Weights weights(on);
    train::OwnOptimizer own(config, *weights.model);
    const Tensors before = copies(*weights.model);
    Tensors results;
    const auto step = [&](int number) {
      const Tensor norm = own.gradient_norm();
      own.step(0.1, train::gradient_divisor(norm, 0.5, 8),
               norm.isfinite().logical_not().to(at::kFloat));
      results["norm " + std::to_string(number)] = norm;
    };
    for (int update = 1; update <= 3; ++update) {
      weights.draw_gradients();
      step(update);
    }
    for (const auto& [name, change] : changes(copies(*weights.model), before))
      results["change of " + name] = change;
    for (const auto& [name, tensor] : own.state()) results[name] = tensor.detach().clone();
    const Tensors last = copies(*weights.model);
    weights.draw_gradients();
    weights.model->parameters()[0].mutable_grad().view(-1)[3] =
        std::numeric_limits<double>::infinity();
    step(4);
    Tensor moved = put(on, at::zeros({}));
    for (const auto& [name, change] : changes(copies(*weights.model), last))
      moved = moved + change.abs().sum();
    results["change where it is left out"] = moved;
    return values_of(results);
  };
  // Steps are quotients of roots, of which some are close to 0.
  return {"optimizer." + config::name_of(kind), compute, kInFp32.times(5)};
}

Values average(const DevicePrecision& on) {
  Weights weights(on);
  train::OwnShard own(*weights.model);
  train::Average average(own.shard, 0.9);
  const Tensors before = copies(*weights.model);
  const at::NoGradGuard no_grad;
  for (int64_t update = 1; update <= 3; ++update) {
    for (Tensor& parameter : weights.model->parameters())
      parameter.add_(weights.numbers.there(parameter.sizes()), 0.1);
    average.update(at::scalar_tensor(average.share(update), at::kDouble));
  }
  return values_of(changes(average.tensors(), before));
}

}  // namespace

std::vector<Operator> optimizer_operators() {
  std::vector<Operator> all{{"optimizer.average", average, kInFp32}};
  for (const auto kind : every<train::OptimizerKind>()) all.push_back(optimizer(kind));
  return all;
}

}  // namespace heed::devices
