#include "train/optimizer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "kernels/divide_work.h"
#include "kernels/rows/loops.h"
#include "model/adapters.h"
#include "model/model.h"
#include "model/weights.h"

namespace heed::train {
namespace {

const std::string kCounts = "step/";  // under which the updates of each parameter are saved

/// Throws where `tensors` does not have the names and shapes of the parameters, each name after
/// `prefix`.
void require_fitting(const NamedTensors& tensors, const Shard& shard, const std::string& prefix,
                     bool scalars, const std::string& origin, const std::string& what) {
  for (std::size_t i = 0; i < shard.names().size(); ++i) {
    const std::string name = prefix + shard.names()[i];
    const auto found = tensors.find(name);
    const bool fits = found != tensors.end() &&
                      (scalars ? found->second.numel() == 1
                               : found->second.sizes() == shard.parameters()[i].sizes());
    if (!fits)
      throw UserError(
          "{}: {} has no '{}' of this shape; go on with the settings that it was saved with",
          origin, what, name);
  }
}

void require_count(const NamedTensors& tensors, std::size_t count, const std::string& origin,
                   const std::string& what) {
  if (tensors.size() != count)
    throw UserError("{}: {} is of other settings; go on with those that it was saved with", origin,
                    what);
  model::require_floats(tensors, origin);
}

/// Returns the tensors of one kind under the names of their parameters: "exp_avg/a.b" as "a.b".
NamedTensors of_kind(const NamedTensors& state, const std::string& kind) {
  NamedTensors out;
  for (const auto& [name, tensor] : state)
    if (name.starts_with(kind + "/")) out.emplace(name.substr(kind.size() + 1), tensor);
  return out;
}

void copy_pieces(const std::vector<Tensor>& from, const std::vector<Tensor>& to) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < to.size(); ++i) Tensor(to[i]).copy_(from[i]);
}

constexpr int64_t kMovedTogether = int64_t{1} << 24;  // numbers

/// x += share (to - x), share [] on the device or the host: of many tensors by three launches.
/// LibTorch's own function for it launches one for each tensor where the share is on the device.
void move_towards(const std::vector<Tensor>& x, const std::vector<Tensor>& to,
                  const Tensor& share) {
  for (std::size_t begin = 0; begin < x.size();) {
    std::size_t end = begin;
    for (int64_t numbers = 0; end < x.size() && (end == begin || numbers < kMovedTogether); ++end)
      numbers += x[end].numel();
    const at::TensorList some = at::TensorList(x).slice(begin, end - begin);
    const std::vector<Tensor> way =
        at::_foreach_sub(at::TensorList(to).slice(begin, end - begin), some);
    if (share.is_cpu())
      at::_foreach_mul_(way, share.item<double>());
    else
      at::_foreach_mul_(way, share);
    at::_foreach_add_(some, way);
    begin = end;
  }
}

double sum_of_squares(const Tensor& x) {
  if (x.scalar_type() == at::kFloat)
    return kernels::sum_of_squares(x.contiguous().const_data_ptr<float>(), x.numel());
  return x.to(at::kDouble).square().sum().item<double>();
}

/// Returns the same block of one tensor of each list.
StepLists stretch_of(const StepLists& all, const WeightBlock& block) {
  const auto of = [&](const std::vector<Tensor>& list) {
    return std::vector<Tensor>{block.of(list[block.tensor])};
  };
  StepLists out{of(all.weights), of(all.gradients), {}, {}};
  if (!all.counts.empty()) out.counts = {all.counts[block.tensor]};
  for (const std::vector<Tensor>& moment : all.moments) out.moments.push_back(of(moment));
  return out;
}

}  // namespace

Optimizer::Optimizer(const TrainConfig& config, Shard& shard)
    : config_(config),
      info_(optimizer_info(config.optimizer)),
      formula_(step_formula(config.optimizer)),
      shard_(shard),
      moments_(info_.moments.size()) {
  if (info_.count == UpdateCount::kCounted)
    for (const Tensor& parameter : shard.parameters())
      counts_.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
  for (std::vector<Tensor>& moment : moments_)
    for (const Tensor& weights : shard.weights()) moment.push_back(at::zeros_like(weights));
}

/// Returns the lists of a step for the pieces that have a gradient.
StepLists Optimizer::lists(const Gradients& gradients) const {
  StepLists out;
  out.moments.resize(moments_.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    out.weights.push_back(shard_.weights()[i]);
    out.gradients.push_back(gradients[i]);
    if (!counts_.empty()) out.counts.push_back(counts_[shard_.pieces()[i].tensor]);
    for (std::size_t m = 0; m < moments_.size(); ++m) out.moments[m].push_back(moments_[m][i]);
  }
  return out;
}

/// [blocks] double, on the device: the sum of squares of each block of the shard's gradients.
Tensor Optimizer::squares(const Gradients& gradients) const {
  const auto blocks = blocks_of(shard_.weights());
  const auto numbers = shard_.parameters()[0].options().dtype(at::kDouble);
  const Tensor out = at::zeros({std::ssize(blocks)}, numbers);
  const auto has_gradient = [&](const WeightBlock& block) {
    return gradients[block.tensor].defined();
  };
  if (out.is_cpu()) {
    auto* const sums = out.mutable_data_ptr<double>();
    kernels::divide_work(std::ssize(blocks), [&](int64_t number, int64_t) {
      const WeightBlock& block = blocks[number];
      if (has_gradient(block)) sums[number] = sum_of_squares(block.of(gradients[block.tensor]));
    });
    return out;
  }
  std::vector<Tensor> stretches;
  for (const WeightBlock& block : blocks)
    stretches.push_back(has_gradient(block) ? block.of(gradients[block.tensor])
                                            : at::zeros({1}, numbers.dtype(at::kFloat)));
  return stretches.empty() ? out : at::stack(at::_foreach_norm(stretches)).to(at::kDouble).square();
}

Tensor Optimizer::gradient_norm(const Gradients& gradients) const {
  const at::NoGradGuard no_grad;
  const Tensor all = shard_.of_all_blocks(squares(gradients));
  if (!all.is_cpu()) return all.sum().sqrt().to(at::kFloat);
  const double* const begin = all.const_data_ptr<double>();
  return at::scalar_tensor(std::sqrt(std::accumulate(begin, begin + all.numel(), 0.0)), at::kFloat);
}

void Optimizer::step(const Tensor& rate, const Gradients& gradients, const Tensor& divisor,
                     const Tensor& skip) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> counts;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (shard_.has_gradient(i)) counts.push_back(counts_[i]);
  if (!counts.empty()) at::_foreach_add_(counts, 1 - skip);
  const StepLists all = lists(gradients);
  std::optional<Tensor> scale;
  // A division by 1 would be one more pass over the gradients.
  if (!divisor.is_cpu() || divisor.item<double>() != 1) scale = divisor;
  const StepNumbers numbers{rate, scale, skip};
  if (all.weights.empty() || !all.weights[0].is_cpu()) {
    if (!all.weights.empty()) step_of(all, numbers);
  } else {
    const auto blocks = blocks_of(all.weights);
    kernels::divide_work(std::ssize(blocks), [&](int64_t number, int64_t) {
      step_of(stretch_of(all, blocks[number]), numbers);
    });
  }
  shard_.gather_weights();
}

void Optimizer::step_of(const StepLists& some, const StepNumbers& numbers) const {
  if (info_.takes == StepTakes::kNumbers) {
    if (numbers.skip.item<double>() != 0) return;
    if (numbers.scale) at::_foreach_div_(some.gradients, *numbers.scale);
  }
  formula_(config_, numbers, some);
}

NamedTensors Optimizer::state() const {
  NamedTensors out;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    out.emplace(kCounts + shard_.names()[i], counts_[i]);
  for (std::size_t m = 0; m < moments_.size(); ++m)
    for (const auto& [name, tensor] : shard_.whole(moments_[m]))
      out.emplace(info_.moments[m] + "/" + name, tensor);
  return out;
}

void Optimizer::load_state(const NamedTensors& saved, const std::string& origin) {
  const std::string what = "the optimizer's state";
  for (const std::string& moment : info_.moments)
    require_fitting(saved, shard_, moment + "/", false, origin, what);
  if (!counts_.empty()) require_fitting(saved, shard_, kCounts, true, origin, what);
  const std::size_t count = counts_.size() + moments_.size() * shard_.names().size();
  require_count(saved, count, origin, what);
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    Tensor(counts_[i]).copy_(saved.at(kCounts + shard_.names()[i]));
  for (std::size_t m = 0; m < moments_.size(); ++m)
    copy_pieces(shard_.pieces_of(of_kind(saved, info_.moments[m])), moments_[m]);
}

Tensor gradient_divisor(const Tensor& norm, double clip, double scale) {
  if (clip <= 0) return at::full_like(norm, scale);
  return (norm / (scale * clip)).clamp_min(1) * scale;
}

Tensor gradient_divisor(const Tensor& norm, double clip, const Tensor& scale) {
  if (scale.is_cpu()) return gradient_divisor(norm, clip, scale.item<double>());
  if (clip <= 0) return scale;
  return (norm / (scale * clip)).clamp_min(1) * scale;
}

Average::Average(Shard& shard, double decay) : shard_(shard), decay_(decay) {
  for (const Tensor& weights : shard.weights()) average_.push_back(weights.clone());
}

double Average::share(int64_t t) const {
  const double early = static_cast<double>(1 + t) / static_cast<double>(10 + t);
  return 1 - std::min(decay_, early);
}

void Average::update(const Tensor& share_now) {
  const at::NoGradGuard no_grad;
  const std::vector<Tensor>& weights = shard_.weights();
  if (weights.empty()) return;
  if (!weights[0].is_cpu()) return move_towards(average_, weights, share_now);
  const double share = share_now.item<double>();
  const auto blocks = blocks_of(weights);
  kernels::divide_work(std::ssize(blocks), [&](int64_t number, int64_t) {
    const WeightBlock& block = blocks[number];
    block.of(average_[block.tensor]).lerp_(block.of(weights[block.tensor]), share);
  });
}

void Average::load(const NamedTensors& tensors, const std::string& origin) {
  const std::string what = "the average of weights";
  require_fitting(tensors, shard_, "", false, origin, what);
  require_count(tensors, shard_.names().size(), origin, what);
  copy_pieces(shard_.pieces_of(tensors), average_);
}

model::Replaced averaged(const Average* average) {
  model::Replaced weights;
  if (!average) return weights;
  const Shard& shard = average->shard();
  const NamedTensors averages = average->tensors();
  for (std::size_t i = 0; i < shard.names().size(); ++i)
    weights.replace(shard.parameters()[i], averages.at(shard.names()[i]));
  return weights;
}

model::Replaced quantised(model::Model& model, Quantise quantise) {
  model::Replaced weights;
  if (quantise == Quantise::none) return weights;
  const at::NoGradGuard no_grad;
  const Tensor output = model.output().weight;
  // Rows of the others are looked up, and stay as they are.
  const auto is_factor = [&](const std::string& name, const Tensor& weight) {
    const bool is_table =
        name.find("embedding") != std::string::npos || name.find("positions") != std::string::npos;
    return weight.dim() == 2 && (!is_table || weight.is_same(output));
  };
  const auto replace = [&](const Tensor& weight, const Tensor& value) {
    const Tensor scale =
        (value.abs().amax(1, /*keepdim=*/true) / 127).clamp_min(std::numeric_limits<float>::min());
    weights.replace(weight, at::round(value / scale) * scale);
  };
  const auto adapted = model::adapted_layers(model);
  for (const model::LinearLayer* layer : adapted) replace(layer->weight, layer->merged());
  if (!adapted.empty()) return weights;
  for (const auto& [name, weight] : trainable(model))
    if (is_factor(name, weight)) replace(weight, weight);
  return weights;
}

}  // namespace heed::train
