#include "train/optimizer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "kernels/rows/loops.h"
#include "kernels/share_out.h"
#include "model/weights.h"
#include "train/blocks.h"

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

double sum_of_squares(const Tensor& x) {
  if (x.scalar_type() == at::kFloat)
    return kernels::sum_of_squares(x.contiguous().const_data_ptr<float>(), x.numel());
  return x.to(at::kDouble).square().sum().item<double>();
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

  bool on_cpu() const { return parameters[0].is_cpu(); }
  Lists stretch(const Block& block) const {
    const auto of = [&](const std::vector<Tensor>& list) {
      return list.empty() ? list : std::vector<Tensor>{block.of(list[block.tensor])};
    };
    Lists out{of(parameters), of(gradients), {}, of(first), of(second)};
    if (!steps.empty()) out.steps = {steps[block.tensor]};
    return out;
  }
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
  if (!all.on_cpu()) return at::stack(at::_foreach_norm(all.gradients)).norm().to(at::kFloat);
  const auto blocks = blocks_of(all.gradients);
  std::vector<double> squares(blocks.size());
  kernels::share_out(std::ssize(blocks), [&](int64_t number, int64_t) {
    const Block& block = blocks[number];
    squares[number] = sum_of_squares(block.of(all.gradients[block.tensor]));
  });
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
  return at::scalar_tensor(std::sqrt(sum), at::kFloat);
}

void Optimizer::step(double rate, const Tensor& divisor, const Tensor& skip) {
  const at::NoGradGuard no_grad;
  const Lists all = lists();
  if (all.parameters.empty()) return;
  if (!all.steps.empty()) at::_foreach_add_(all.steps, 1 - skip);
  std::optional<Tensor> scale;
  // A division by 1 would be one more pass over the gradients.
  if (!divisor.is_cpu() || divisor.item<double>() != 1) scale = divisor;
  if (!all.on_cpu()) return step_of(all, rate, scale, skip);
  const auto blocks = blocks_of(all.parameters);
  kernels::share_out(std::ssize(blocks), [&](int64_t number, int64_t) {
    step_of(all.stretch(blocks[number]), rate, scale, skip);
  });
}

void Optimizer::step_of(const Lists& some, double rate, const std::optional<Tensor>& scale,
                        const Tensor& skip) const {
  const double decay = config_.weight_decay;
  switch (config_.optimizer) {
    case OptimizerKind::adam:
    case OptimizerKind::adamw: {
      using Call = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                            at::TensorList, at::TensorList, double, double, double, double, double,
                            bool, bool, const std::optional<Tensor>&, const std::optional<Tensor>&);
      const Call call = config_.optimizer == OptimizerKind::adam
                            ? static_cast<Call>(at::_fused_adam_)
                            : static_cast<Call>(at::_fused_adamw_);
      call(some.parameters, some.gradients, some.first, some.second, {}, some.steps, rate,
           config_.betas[0], config_.betas[1], decay, config_.epsilon, false, false, scale, skip);
      return;
    }
    case OptimizerKind::sgd:
      at::_fused_sgd_(some.parameters, some.gradients, {}, decay, 0.0, rate, 0.0, false, false,
                      false, scale, skip);
      return;
    case OptimizerKind::adadelta:
      if (skip.item<double>() != 0) return;
      if (scale) at::_foreach_div_(some.gradients, *scale);
      adadelta(rate, some);
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
  const double share = 1 - std::min(decay_, early);
  if (!weight_list_[0].is_cpu()) return at::_foreach_lerp_(average_list_, weight_list_, share);
  const auto blocks = blocks_of(weight_list_);
  kernels::share_out(std::ssize(blocks), [&](int64_t number, int64_t) {
    const Block& block = blocks[number];
    block.of(average_list_[block.tensor]).lerp_(block.of(weight_list_[block.tensor]), share);
  });
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
