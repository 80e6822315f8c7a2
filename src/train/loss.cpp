#include "train/loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "kernels/output_loss.h"
#include "kernels/product.h"
#include "model/device.h"

namespace heed::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Logits that are worked on together: on the CPU they should stay in its cache.
constexpr int64_t kChunkCpu = int64_t{1} << 20, kChunkGpu = int64_t{1} << 26;

struct Sums {
  Tensor smoothed, nll;
};

/// What is computed in: fp32, or double where the logits are (gradient checks).
at::ScalarType precision_of(const Tensor& logits) {
  return logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

/// Log-probabilities of some rows.
Tensor log_probabilities(const Tensor& logits, const Tensor& buffer) {
  if (!buffer.defined()) return at::log_softmax(logits, 1, precision_of(logits));
  Tensor out = buffer.narrow(0, 0, logits.size(0));
  at::_log_softmax_out(out, logits, 1, false);
  return out;
}

/// Adds to `sums` the loss of all rows; where `gradient` is defined it receives p - q. It may share
/// its memory with `logits`.
void add_rows(const Tensor& logits, const Tensor& gold, double smoothing, const Tensor& gradient,
              Sums& sums) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const int64_t most = logits.is_cpu() ? kChunkCpu : kChunkGpu;
  const int64_t chunk = std::clamp<int64_t>(most / vocab, 1, std::max<int64_t>(rows, 1));
  Tensor buffer;
  if (logits.scalar_type() == at::kFloat) buffer = at::empty({chunk, vocab}, logits.options());
  for (int64_t begin = 0; begin < rows; begin += chunk) {
    const int64_t count = std::min(chunk, rows - begin);
    const Tensor part = log_probabilities(logits.narrow(0, begin, count), buffer);
    const Tensor answers = gold.narrow(0, begin, count).unsqueeze(1);
    const Tensor nll = part.gather(1, answers).sum(at::kDouble).neg();
    sums.nll += nll;
    sums.smoothed += nll * (1 - smoothing);
    if (smoothing > 0)
      sums.smoothed -= part.sum(1).sum(at::kDouble) * (smoothing / static_cast<double>(vocab));
    if (!gradient.defined()) continue;
    Tensor probability = part.exp_();
    if (smoothing > 0) probability.sub_(smoothing / static_cast<double>(vocab));
    probability.scatter_add_(1, answers,
                             at::full_like(answers, smoothing - 1, probability.options()));
    gradient.narrow(0, begin, count).copy_(probability);
  }
}

class CrossEntropy : public torch::autograd::Function<CrossEntropy> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& logits, const Tensor& gold,
                             double smoothing, bool wants_gradient) {
    const auto number = logits.options().dtype(at::kDouble);
    Sums sums{at::zeros({}, number), at::zeros({}, number)};
    Tensor gradient;
    // A leaf is somebody's parameter; anything else is ours to reuse.
    if (wants_gradient) gradient = logits.is_leaf() ? at::empty_like(logits) : logits.detach();
    add_rows(logits.detach(), gold, smoothing, gradient, sums);
    context->saved_data["gradient"] = gradient;
    context->mark_non_differentiable({sums.nll});
    return {sums.smoothed, sums.nll};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const Tensor gradient = context->saved_data["gradient"].toTensor();
    expect(gradient.defined(), "a second backward pass through one loss");
    context->saved_data["gradient"] = Tensor();
    return {gradient.mul_(outer[0].to(precision_of(gradient))), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

Target make_target(const data::Batch& batch, const at::Device& device) {
  Target target;
  const int64_t width = batch.target_length;
  target.input = model::make_target_input(batch, device);
  std::vector<int64_t> gold, rows;
  for (int64_t b = 0; b < batch.size; ++b)
    for (int64_t t = 0; t < batch.target_lengths[b]; ++t) {
      rows.push_back(b * width + t);
      gold.push_back(batch.target_output[rows.back()]);
    }
  target.tokens = static_cast<int64_t>(gold.size());
  target.gold = model::upload_numbers(gold, device);
  if (target.tokens < batch.size * width) target.rows = model::upload_numbers(rows, device);
  return target;
}

LossSum cross_entropy(const Tensor& logits, const Tensor& gold, double smoothing) {
  const bool wants_gradient = at::GradMode::is_enabled() && logits.requires_grad();
  const auto sums = CrossEntropy::apply(logits, gold, smoothing, wants_gradient);
  return {sums[0], sums[1]};
}

LossSum pair_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                  const kernels::PairWeights& pair) {
  const auto both = at::log_softmax(logits, 1, precision_of(logits)).chunk(2);
  const Tensor &one = both.at(0), &other = both.at(1);
  const Tensor answers = gold.unsqueeze(1);
  const auto nll_of = [&](const Tensor& log_p) { return log_p.gather(1, answers).sum().neg(); };
  const auto loss_of = [&](const Tensor& log_p, const Tensor& nll) {
    return nll * (1 - smoothing) - log_p.mean(1).sum() * smoothing;
  };
  const Tensor nll = nll_of(one), other_nll = nll_of(other);
  Tensor loss = loss_of(one, nll) * pair.first + loss_of(other, other_nll) * pair.second;
  if (pair.forward > 0) loss = loss + (one.exp() * (one - other)).sum() * pair.forward;
  if (pair.backward > 0) loss = loss + (other.exp() * (other - one)).sum() * pair.backward;
  return {loss.to(at::kDouble),
          (nll * pair.first + other_nll * pair.second).detach().to(at::kDouble)};
}

namespace {

/// What is multiplied with the output layer's weights: no padding.
Tensor real_rows(const Tensor& features, const Target& target) {
  const Tensor all = features.flatten(0, 1);  // [batch * target, features]
  return target.rows.defined() ? all.index_select(0, target.rows) : all;
}

/// Whether the loss can be taken without all logits.
bool can_fuse(const Tensor& real, const model::OutputWeights& output) {
  return output.weight.defined() && real.is_cpu() &&
         kernels::is_fp32_or_bf16(kernels::product_type(real));
}

}  // namespace

LossSum loss_of(model::Model& model, const Tensor& features, const Target& target,
                double smoothing) {
  const Tensor real = real_rows(features, target);
  const model::OutputWeights output = model.output();
  if (!can_fuse(real, output)) return cross_entropy(model.logits(real), target.gold, smoothing);
  const auto sums = kernels::output_loss(real, output.weight, output.bias, target.gold, smoothing,
                                         kernels::product_type(real));
  return {sums.smoothed, sums.nll};
}

LossSum pair_loss_of(model::Model& model, const Tensor& features, const Target& target,
                     double smoothing, const kernels::PairWeights& pair) {
  const Tensor real = real_rows(features, target);
  const Tensor gold = target.gold.narrow(0, 0, target.tokens / 2);
  const model::OutputWeights output = model.output();
  if (!can_fuse(real, output)) return pair_loss(model.logits(real), gold, smoothing, pair);
  const auto sums = kernels::output_pair_loss(real, output.weight, output.bias, gold, smoothing,
                                              pair, kernels::product_type(real));
  return {sums.smoothed, sums.nll};
}

}  // namespace heed::train
