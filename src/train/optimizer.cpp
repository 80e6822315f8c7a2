#include "train/optimizer.h"

#include <ATen/ATen.h>

#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "model/weights.h"

namespace heed::train {
namespace {

constexpr double kAdadeltaDecay = 0.95;  // rho, as in the paper's table 1

/// Names under which Slot::first and ::second are saved; empty where there is none.
std::pair<std::string, std::string> state_names(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      return {"exp_avg", "exp_avg_sq"};
    case OptimizerKind::adadelta:
      return {"square_avg", "delta_avg"};
    case OptimizerKind::sgd:
      return {};
  }
  throw Bug("an optimizer without a state");
}

bool is_adam(OptimizerKind kind) {
  return kind == OptimizerKind::adam || kind == OptimizerKind::adamw;
}

void copy_all(const NamedTensors& from, const NamedTensors& to, const std::string& origin,
              const std::string& what) {
  for (const auto& [name, tensor] : to) {
    const auto found = from.find(name);
    if (found == from.end() || found->second.sizes() != tensor.sizes())
      throw UserError(origin + ": " + what + " has no '" + name +
                      "' of this shape; go on with the settings that it was saved with");
  }
  if (from.size() != to.size())
    throw UserError(origin + ": " + what +
                    " is of other settings; go on with those that it was saved with");
  model::require_floats(from, origin);
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : to) Tensor(tensor).copy_(from.at(name));
}

}  // namespace

NamedTensors trainable(const model::Model& model) {
  NamedTensors out;
  std::unordered_set<const void*> seen;
  for (const auto& item : model.named_parameters())
    if (item.value().requires_grad() && seen.insert(item.value().unsafeGetTensorImpl()).second)
      out.emplace(item.key(), item.value());
  return out;
}

struct Optimizer::Lists {
  std::vector<Tensor> parameters, gradients, steps, first, second;
};

Optimizer::Optimizer(const TrainConfig& config, const model::Model& model) : config_(config) {
  const bool has_averages = !state_names(config.optimizer).first.empty();
  for (const auto& [name, parameter] : trainable(model)) {
    Slot slot{name, parameter, {}, {}, {}};
    const Tensor plain = parameter.detach();
    if (is_adam(config.optimizer)) slot.step = at::zeros({}, plain.options().dtype(at::kFloat));
    if (has_averages) slot.first = at::zeros_like(plain);
    if (has_averages) slot.second = at::zeros_like(plain);
    slots_.push_back(std::move(slot));
  }
}

void Optimizer::clear_gradients() {
  for (auto& slot : slots_) slot.parameter.mutable_grad() = Tensor();
}

Optimizer::Lists Optimizer::lists() const {
  Lists out;
  for (const auto& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    out.parameters.push_back(slot.parameter.detach());
    out.gradients.push_back(slot.parameter.grad());
    if (slot.step.defined()) out.steps.push_back(slot.step);
    if (slot.first.defined()) out.first.push_back(slot.first);
    if (slot.second.defined()) out.second.push_back(slot.second);
  }
  return out;
}

Tensor Optimizer::gradient_norm() const {
  const at::NoGradGuard no_grad;
  const Lists all = lists();
  if (all.gradients.empty()) return at::zeros({}, at::kFloat);
  return at::stack(at::_foreach_norm(all.gradients)).norm().to(at::kFloat);
}

void Optimizer::step(double rate, const Tensor& divisor, const Tensor& skip) {
  const at::NoGradGuard no_grad;
  const Lists all = lists();
  if (all.parameters.empty()) return;
  std::optional<Tensor> scale;
  // A division by 1 would be one more pass over the gradients.
  if (!divisor.is_cpu() || divisor.item<double>() != 1) scale = divisor;
  const double decay = config_.weight_decay;
  switch (config_.optimizer) {
    case OptimizerKind::adam:
    case OptimizerKind::adamw: {
      at::_foreach_add_(all.steps, 1 - skip);
      using Call = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                            at::TensorList, at::TensorList, double, double, double, double, double,
                            bool, bool, const std::optional<Tensor>&, const std::optional<Tensor>&);
      const Call call = config_.optimizer == OptimizerKind::adam
                            ? static_cast<Call>(at::_fused_adam_)
                            : static_cast<Call>(at::_fused_adamw_);
      call(all.parameters, all.gradients, all.first, all.second, {}, all.steps, rate,
           config_.betas[0], config_.betas[1], decay, config_.epsilon, false, false, scale, skip);
      return;
    }
    case OptimizerKind::sgd:
      at::_fused_sgd_(all.parameters, all.gradients, {}, decay, 0.0, rate, 0.0, false, false, false,
                      scale, skip);
      return;
    case OptimizerKind::adadelta:
      if (skip.item<double>() != 0) return;
      if (scale) at::_foreach_div_(all.gradients, *scale);
      adadelta(rate, all);
  }
}

void Optimizer::adadelta(double rate, const Lists& all) const {
  if (config_.weight_decay > 0)
    at::_foreach_add_(all.gradients, all.parameters, config_.weight_decay);
  at::_foreach_mul_(all.first, kAdadeltaDecay);
  at::_foreach_addcmul_(all.first, all.gradients, all.gradients, 1 - kAdadeltaDecay);
  auto deltas = at::_foreach_add(all.second, config_.epsilon);
  at::_foreach_sqrt_(deltas);
  auto roots = at::_foreach_add(all.first, config_.epsilon);
  at::_foreach_sqrt_(roots);
  at::_foreach_div_(deltas, roots);
  at::_foreach_mul_(deltas, all.gradients);
  at::_foreach_mul_(all.second, kAdadeltaDecay);
  at::_foreach_addcmul_(all.second, deltas, deltas, 1 - kAdadeltaDecay);
  at::_foreach_add_(all.parameters, deltas, -rate);
}

NamedTensors Optimizer::state() const {
  NamedTensors out;
  const auto [first, second] = state_names(config_.optimizer);
  for (const auto& slot : slots_) {
    if (slot.step.defined()) out.emplace("step/" + slot.name, slot.step);
    if (slot.first.defined()) out.emplace(first + "/" + slot.name, slot.first);
    if (slot.second.defined()) out.emplace(second + "/" + slot.name, slot.second);
  }
  return out;
}

void Optimizer::load_state(const NamedTensors& saved, const std::string& origin) {
  copy_all(saved, state(), origin, "the optimizer's state");
}

Tensor gradient_divisor(const Tensor& norm, double clip, double scale) {
  if (clip <= 0) return at::full_like(norm, scale);
  return (norm / (scale * clip)).clamp_min(1) * scale;
}

Average::Average(const model::Model& model, double decay)
    : weights_(trainable(model)), decay_(decay) {
  for (auto& [name, weight] : weights_) {
    weight = weight.detach();
    weight_list_.push_back(weight);
    average_list_.push_back(average_.emplace(name, weight.clone()).first->second);
  }
}

void Average::update(int64_t t) {
  const at::NoGradGuard no_grad;
  const double early = static_cast<double>(1 + t) / static_cast<double>(10 + t);
  at::_foreach_lerp_(average_list_, weight_list_, 1 - std::min(decay_, early));
}

void Average::swap() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weight_list_.size(); ++i) {
    const Tensor kept = weight_list_[i].clone();
    weight_list_[i].copy_(average_list_[i]);
    average_list_[i].copy_(kept);
  }
}

void Average::load(const NamedTensors& tensors, const std::string& origin) {
  copy_all(tensors, average_, origin, "the average of weights");
}

}  // namespace heed::train
