#include "train/optimizer_step.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/log.h"
#include "config/schema.h"
#include "kernels/graph.h"
#include "model/device.h"
#include "ranks/group.h"
#include "train/kinds.h"
#include "train/shard.h"

namespace heed::train {
namespace {

std::string why_no_graph(const TrainConfig& config, const at::Device& device,
                         const ranks::Group& group) {
  if (config.graphs == Graphs::off) return "training.graphs is off";
  if (device.is_cpu()) return "a CPU has no graphs";
  if (!group.alone()) return "ranks exchange weights within it";
  if (optimizer_info(config.optimizer).takes == StepTakes::kNumbers)
    return config::name_of(config.optimizer) + " reads from the GPU";
  return kernels::Graph::why_not(device);
}

/// Copies gradients to where a graph reads them. Those of a recorded pass are there already.
void copy_others(const Gradients& from, const Gradients& to) {
  std::vector<Tensor> sources, copies;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i].defined() || from[i].const_data_ptr() == to[i].const_data_ptr()) continue;
    sources.push_back(from[i]);
    copies.push_back(to[i]);
  }
  if (!sources.empty()) at::_foreach_copy_(copies, sources);
}

}  // namespace

/// A graph, and what it reads and writes.
struct OptimizerStep::Recorded {
  Gradients gradients;
  Tensor losses, numbers, report;
  std::unique_ptr<kernels::Graph> graph;
};

OptimizerStep::OptimizerStep(const TrainConfig& config, at::Device device, Optimizer& optimizer,
                             Average* average)
    : config_(config),
      device_(device),
      optimizer_(optimizer),
      average_(average),
      why_not_(why_no_graph(config, device, optimizer.shard().group())) {}

OptimizerStep::~OptimizerStep() = default;

Tensor OptimizerStep::run(const Gradients& gradients, const Tensor& losses,
                          const UpdatePlan& plan) {
  const at::NoGradGuard no_grad;
  const double share = average_ ? average_->share(plan.update) : 0;
  if (const auto report = launch(gradients, losses, {plan.rate, plan.loss_scale, share}))
    return *report;
  // Without a graph the step uses the same numbers as with one, where numbers on the device are
  // floats.
  const auto number = [&](double value) {
    return at::scalar_tensor(device_.is_cpu() ? value : static_cast<float>(value), at::kDouble);
  };
  const auto on_device = at::TensorOptions(at::kFloat).device(device_);
  const Tensor scale =
      device_.is_cpu() ? number(plan.loss_scale) : at::full({}, plan.loss_scale, on_device);
  return compute(gradients, losses, {number(plan.rate), scale, number(share)});
}

Tensor OptimizerStep::compute(const Gradients& gradients, const Tensor& losses,
                              const Numbers& numbers) {
  const Tensor norm = optimizer_.gradient_norm(gradients).to(device_);
  const Tensor finite = norm.isfinite().logical_and(losses[0].isfinite());
  const Tensor skip = finite.logical_not().to(at::kFloat);
  optimizer_.step(numbers.rate, gradients, gradient_divisor(norm, config_.clip_norm, numbers.scale),
                  skip);
  if (average_) average_->update(numbers.share);
  return at::cat({losses, (norm.to(at::kDouble) / numbers.scale).reshape({1})});
}

std::optional<Tensor> OptimizerStep::launch(const Gradients& gradients, const Tensor& losses,
                                            const std::vector<double>& numbers) {
  if (!why_not_.empty()) return std::nullopt;
  if (recorded_) {
    recorded_->losses.copy_(losses);
    recorded_->numbers.copy_(model::upload(at::tensor(numbers, at::kFloat), device_));
    copy_others(gradients, recorded_->gradients);
    recorded_->graph->replay();
    return recorded_->report;
  }
  auto all = std::make_unique<Recorded>();
  try {
    all->gradients = gradients;
    all->losses = losses.clone();
    all->numbers = model::upload(at::tensor(numbers, at::kFloat), device_);
    all->report = at::empty({losses.numel() + 1}, losses.options());
  } catch (const c10::Error& error) {
    if (!model::is_out_of_memory(error)) throw;
    why_not_ = "memory runs out";
    log::warn("training.graphs: the optimizer's part of an update is not recorded: " + why_not_);
    return std::nullopt;
  }
  all->graph = std::make_unique<kernels::Graph>(device_, [&] {
    const Tensor& number = all->numbers;
    all->report.copy_(compute(all->gradients, all->losses, {number[0], number[1], number[2]}));
  });
  recorded_ = std::move(all);
  return recorded_->report;
}

}  // namespace heed::train
