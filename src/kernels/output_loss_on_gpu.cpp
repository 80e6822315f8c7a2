#include "kernels/output_loss_on_gpu.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernels/fp32.h"
#include "kernels/logit_loss.h"

namespace heed::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

using Pair = std::optional<PairWeights>;

/// The pieces to predict and what their loss is.
struct Goal {
  Tensor gold;
  double smoothing = 0;
  Pair pair;
  int64_t together = 0;  // logits
  Tensor weights = {};
};

/// Logits [rows, vocab], with a pair [2 rows, vocab], become their gradient where it is wanted.
void become_gradient(const Tensor& logits, const Goal& goal, bool wants_gradient,
                     LogitLossSum& sum) {
  if (!goal.pair)
    return add_logit_loss(logits, goal.gold, goal.smoothing, wants_gradient ? logits : Tensor(),
                          sum, goal.weights);
  const at::AutoGradMode with_graph(wants_gradient);
  const Tensor leaf = logits.detach().to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  leaf.requires_grad_(wants_gradient);
  const LogitLossSum loss = pair_logit_loss(leaf, goal.gold, goal.smoothing, *goal.pair);
  const at::NoGradGuard without_graph;
  sum.smoothed += loss.smoothed.detach();
  sum.nll += loss.nll;
  if (wants_gradient) Tensor(logits).copy_(torch::autograd::grad({loss.smoothed}, {leaf}).front());
}

/// Gradients of the sum of losses, by chunks of rows.
class OutputGradients {
 public:
  explicit OutputGradients(const Tensor& x) : features_(at::empty_like(x)) {}

  /// Adds those of the rows x, which begin at `begin`, from their logits' gradient `outer`.
  void add(const Tensor& outer, const Tensor& x, int64_t begin, const Tensor& weight,
           bool has_bias) {
    Tensor rows = features_.narrow(0, begin, x.size(0));
    at::mm_out(rows, outer, weight);
    if (weight_.defined() && x.scalar_type() == at::kFloat)
      weight_.addmm_(outer.t(), x);
    else
      accumulate(weight_, at::mm(outer.t(), x));
    if (has_bias) accumulate(bias_, outer.sum(0, /*keepdim=*/false, at::kFloat));
  }

  void save(AutogradContext& context) const {
    context.saved_data["features"] = features_;
    context.saved_data["weight"] = weight_;
    context.saved_data["bias"] = bias_;
  }

 private:
  /// In fp32, whatever the products are in.
  static void accumulate(Tensor& sum, const Tensor& part) {
    if (sum.defined())
      sum.add_(part);
    else
      sum = part.to(at::kFloat);
  }

  Tensor features_;       // [tokens, width], of the products' type
  Tensor weight_, bias_;  // [vocab, width] and [vocab] fp32; undefined before the first rows
};

class OutputLossOnGpu : public torch::autograd::Function<OutputLossOnGpu> {
 public:
  /// Without a bias the weight stands in its place: autograd takes no undefined tensor.
  static tensor_list forward(AutogradContext* context, const Tensor& features, const Tensor& weight,
                             const Tensor& bias, bool has_bias, const Goal& goal,
                             bool wants_gradient, at::ScalarType type) {
    const WithoutAutocast guard;
    const Tensor x = features.to(type).contiguous(), w = weight.to(type);
    const Tensor b = has_bias ? bias.to(type) : Tensor();
    const int64_t tokens = goal.gold.size(0), vocab = w.size(0), sides = goal.pair ? 2 : 1;
    const int64_t chunk =
        std::clamp<int64_t>(goal.together / (sides * vocab), 1, std::max<int64_t>(tokens, 1));
    const Tensor buffer = at::empty({sides * chunk, vocab}, x.options());
    OutputGradients gradients(x);
    LogitLossSum sum = LogitLossSum::on(x.device());
    for (int64_t begin = 0; begin < tokens; begin += chunk) {
      const int64_t count = std::min(chunk, tokens - begin);
      const auto rows_of = [&](int64_t side) { return x.narrow(0, side * tokens + begin, count); };
      const auto logits_of = [&](int64_t side) { return buffer.narrow(0, side * count, count); };
      for (int64_t side = 0; side < sides; ++side) {
        Tensor logits = logits_of(side);
        if (has_bias)
          at::addmm_out(logits, b, rows_of(side), w.t());
        else
          at::mm_out(logits, rows_of(side), w.t());
      }
      const Goal part{goal.gold.narrow(0, begin, count), goal.smoothing, goal.pair, count,
                      goal.weights.defined() ? goal.weights.narrow(0, begin, count) : Tensor()};
      become_gradient(buffer.narrow(0, 0, sides * count), part, wants_gradient, sum);
      if (!wants_gradient) continue;
      for (int64_t side = 0; side < sides; ++side)
        gradients.add(logits_of(side), rows_of(side), side * tokens + begin, w, has_bias);
    }
    if (wants_gradient) gradients.save(*context);
    context->saved_data["type"] = features.scalar_type();
    context->mark_non_differentiable({sum.nll});
    return {sum.smoothed, sum.nll};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto taken = [&](const char* name) {
      return std::exchange(context->saved_data[name], c10::IValue(Tensor())).toTensor();
    };
    Tensor features = taken("features"), weight = taken("weight"), bias = taken("bias");
    expect(features.defined(), "a second backward pass through one loss");
    const Tensor scale = outer[0].to(at::kFloat);
    features = features.mul_(scale).to(context->saved_data["type"].toScalarType());
    if (weight.defined()) weight.mul_(scale);
    if (bias.defined()) bias.mul_(scale);
    return {features, weight, bias, Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

OutputLossSum output_loss_on_gpu(const Tensor& features, const Tensor& weight, const Tensor& bias,
                                 const Tensor& gold, double smoothing, const Pair& pair,
                                 at::ScalarType type, int64_t together, const Tensor& weights) {
  const bool has_bias = bias.defined();
  const bool gradient =
      at::GradMode::is_enabled() &&
      (features.requires_grad() || weight.requires_grad() || (has_bias && bias.requires_grad()));
  const auto sums =
      OutputLossOnGpu::apply(features, weight, has_bias ? bias : weight, has_bias,
                             Goal{gold, smoothing, pair, together, weights}, gradient, type);
  return {sums[0], sums[1]};
}

}  // namespace heed::kernels
