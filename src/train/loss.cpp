#include "kernels/rows/loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "base/error.h"
#include "data/batch.h"
#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/device.h"
#include "model/model.h"
#include "train/loss.h"
#include "train/losses.h"

namespace heed::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class CrossEntropy : public torch::autograd::Function<CrossEntropy> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& logits, const Tensor& gold,
                             double smoothing, bool wants_gradient) {
    auto sum = kernels::OutputLossSum::on(logits.device());
    Tensor gradient;
    // A leaf is somebody's parameter; anything else is ours to reuse.
    if (wants_gradient) gradient = logits.is_leaf() ? at::empty_like(logits) : logits.detach();
    kernels::add_logit_loss(logits.detach(), gold, smoothing, gradient, sum);
    context->saved_data["gradient"] = gradient;
    context->mark_non_differentiable({sum.nll});
    return {sum.smoothed, sum.nll};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const Tensor gradient = context->saved_data["gradient"].toTensor();
    expect(gradient.defined(), "a second backward pass through one loss");
    context->saved_data["gradient"] = Tensor();
    const bool wide = gradient.scalar_type() == at::kDouble;
    return {gradient.mul_(outer[0].to(wide ? at::kDouble : at::kFloat)), Tensor(), Tensor(),
            Tensor()};
  }
};

template <class Value>
std::vector<Value> repeated(const std::vector<Value>& values) {
  std::vector<Value> out = values;
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

/// Replaces a share of the tokens in the second half of rows [2 size, width] by model::kCut.
/// `lengths` are those of the rows.
void cut_some(std::vector<int64_t>& tokens, const std::vector<int64_t>& lengths, int64_t width,
              double share, Random& random) {
  const auto rows = std::ssize(lengths);
  for (int64_t row = rows / 2; row < rows; ++row)
    for (int64_t t = 0; t < lengths[row]; ++t)
      if (random.uniform() < share) tokens[row * width + t] = model::kCut;
}

}  // namespace

Predicted predicted(const data::Batch& batch, int64_t width) {
  Predicted out;
  for (int64_t b = 0; b < batch.size; ++b)
    for (int64_t t = 0; t < batch.target_lengths[b]; ++t) {
      out.rows.push_back(b * width + t);
      out.gold.push_back(batch.target_output[b * batch.target_length + t]);
    }
  return out;
}

Target make_target(const data::Batch& batch, const at::Device& device) {
  Target target;
  const int64_t width = batch.target_length;
  target.input = model::make_target_input(batch, device);
  const auto [gold, rows] = predicted(batch, width);
  target.tokens = static_cast<int64_t>(gold.size());
  target.gold = model::upload_numbers(gold, device);
  if (target.tokens < batch.size * width) target.rows = model::upload_numbers(rows, device);
  return target;
}

LossSum cross_entropy(const Tensor& logits, const Tensor& gold, double smoothing) {
  const bool wants_gradient = at::GradMode::is_enabled() && logits.requires_grad();
  const auto sums = CrossEntropy::apply(logits, gold, smoothing, wants_gradient);
  return {{sums[0], sums[1]}};
}

namespace {

/// Returns the features that are multiplied with the output layer's weights: those of positions
/// that are no padding.
Tensor real_rows(const Tensor& features, const Target& target) {
  const Tensor all = features.flatten(0, 1);  // [batch * target, features]
  return target.rows.defined() ? all.index_select(0, target.rows) : all;
}

/// Whether the loss can be taken without all logits. In fp16 gradients need the loss' scale before
/// they are rounded, which only the backward pass knows.
bool can_fuse(at::ScalarType type, const model::OutputWeights& output) {
  return output.weight.defined() && kernels::is_fp32_or_bf16(type);
}

}  // namespace

LossSum loss_of(model::Model& model, const Tensor& features, const Target& target, double smoothing,
                const std::optional<kernels::PairWeights>& pair) {
  const Tensor real = real_rows(features, target);
  const Tensor gold = pair ? target.gold.narrow(0, 0, target.tokens / 2) : target.gold;
  const model::OutputWeights output = model.output();
  const at::ScalarType type = kernels::product_type(real);
  if (!can_fuse(type, output)) {
    const Tensor logits = model.logits(real);
    if (!pair) return cross_entropy(logits, gold, smoothing);
    return {kernels::pair_logit_loss(logits, gold, smoothing, *pair)};
  }
  if (target.weights.defined())
    return {kernels::output_loss_on_gpu(real, output.weight, output.bias, gold, smoothing, pair,
                                        type, kernels::kLogitsTogether, target.weights)};
  return {kernels::output_loss(real, output.weight, output.bias, gold, smoothing, type, pair)};
}

Tensor LossSum::numbers() const {
  std::vector<Tensor> all = {smoothed.detach(), nll.detach()};
  for (const LossTerm& term : terms)
    all.push_back(term.sum.defined() ? term.sum.detach() : at::zeros_like(nll));
  return at::stack(all);
}

int64_t count_numbers(const TrainConfig& config) {
  return 2 + std::ssize(auxiliary_losses(config));
}

std::optional<model::Trace> trace_of_losses(const data::Batch& batch, const TrainConfig& config) {
  const auto wants = [&](const AuxiliaryLoss& loss) {
    return loss.attends() && loss.applies_to(batch);
  };
  if (std::ranges::none_of(auxiliary_losses(config), wants)) return std::nullopt;
  return model::Trace{
      .kinds = {},
      .guided = model::Guided{.layer = config.taught_layer, .head = config.taught_head}};
}

namespace {

Tensor sum_of(const AuxiliaryLoss& loss, const LossInput& input) {
#define HEED_LOSS(which, key, needs) \
  if (loss.name == #which) return which##_loss(input);
#include "train/losses.def"
#undef HEED_LOSS
  throw Bug("an unknown loss");
}

}  // namespace

void add_losses(LossSum& loss, const LossInput& input) {
  for (const AuxiliaryLoss& one : auxiliary_losses(input.config)) {
    LossTerm& term = loss.terms.emplace_back(one.name, one.weight);
    if (!one.applies_to(input.batch)) continue;
    term.sum = sum_of(one, input);
    loss.smoothed = loss.smoothed + term.sum * term.weight;
  }
}

std::optional<kernels::PairWeights> pair_weights(const TrainConfig& config) {
  using Weights = kernels::PairWeights;
  const double weight = config.consistency_weight;
  switch (config.consistency) {
    case Consistency::rdrop:
      return Weights{.first = 0.5, .second = 0.5, .forward = weight / 4, .backward = weight / 4};
    case Consistency::simcut:
      return Weights{.first = 1, .second = 0, .forward = weight, .backward = 0};
    case Consistency::none:
      break;
  }
  return std::nullopt;
}

data::Batch both_of(const data::Batch& batch, const TrainConfig& config, Random& random) {
  data::Batch both{.size = 2 * batch.size,
                   .source_length = batch.source_length,
                   .target_length = batch.target_length,
                   .source = repeated(batch.source),
                   .target_input = repeated(batch.target_input),
                   .target_output = repeated(batch.target_output),
                   .source_lengths = repeated(batch.source_lengths),
                   .target_lengths = repeated(batch.target_lengths),
                   .origins = repeated(batch.origins)};
  if (config.consistency != Consistency::simcut) return both;
  const double share = config.consistency_share;
  cut_some(both.source, both.source_lengths, both.source_length, share, random);
  cut_some(both.target_input, both.target_lengths, both.target_length, share, random);
  return both;
}

}  // namespace heed::train
