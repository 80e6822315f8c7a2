#include "kernels/output_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/autograd.h"
#include "kernels/product.h"

namespace heed::kernels {
namespace {

// Bytes of logits that are worked on together: they should stay in the last level of cache, and yet
// be enough rows to multiply well: the weights are read twice for each chunk.
constexpr int64_t kChunk = int64_t{1} << 24;
constexpr int64_t kFewestRows = 64;

struct LossSums {
  double smoothed = 0, nll = 0;
};

using OptionalPair = std::optional<PairWeights>;

bool needs_gradient(const Tensor& features, const Tensor& weight, const Tensor& bias) {
  return at::GradMode::is_enabled() && (features.requires_grad() || weight.requires_grad() ||
                                        (bias.defined() && bias.requires_grad()));
}

/// The gradients that a forward pass has saved, times the gradient of the loss.
tensor_list saved_gradients(AutogradContext* context, const tensor_list& outer) {
  const auto taken = [&](const char* name) {
    return std::exchange(context->saved_data[name], c10::IValue(Tensor())).toTensor();
  };
  Tensor features = taken("features"), weight = taken("weight"), bias = taken("bias");
  expect(features.defined(), "a second backward pass through one loss");
  const Tensor scale = outer[0].to(at::kFloat);
  features = features.mul_(scale).to(context->saved_data["type"].toScalarType());
  if (weight.defined()) weight.mul_(scale);
  if (bias.defined()) bias.mul_(scale);
  return {features, weight, bias, Tensor(), Tensor(), Tensor()};
}

// --- on a CPU

/// The options of a row's loss: what it needs besides the logits.
struct RowLossOptions {
  float smoothing = 0;
  OptionalPair pair;
  bool gradient = false;
};

/// Adds loss(i, scratch) of each row to `sums`, row by row, so that the number of threads changes
/// nothing.
template <class Loss>
void add_rows(int64_t rows, std::size_t scratch, const Loss& loss, LossSums& sums) {
  std::vector<RowLoss> losses(static_cast<std::size_t>(rows));
  at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
    std::vector<float> work(scratch);
    for (int64_t i = begin; i < end; ++i) losses[i] = loss(i, work.data());
  });
  for (const RowLoss& each : losses) {
    sums.smoothed += each.smoothed;
    sums.nll += each.nll;
  }
}

/// Every row of `logits` becomes its gradient, and every row of `others`, too, where there are
/// pairs.
void to_gradients(const Tensor& logits, const Tensor& others, const int64_t* gold,
                  const RowLossOptions& options, LossSums& sums) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const auto size = static_cast<std::size_t>(vocab);
  const auto add = [&]<class Number>(Number* one, Number* other, std::size_t scratch) {
    add_rows(
        rows, scratch,
        [&](int64_t i, float* work) {
          Number* row = one + i * vocab;
          if (other)
            return pair_loss_rows(row, other + i * vocab, vocab, gold[i], options.smoothing,
                                  *options.pair, options.gradient, work);
          if constexpr (std::is_same_v<Number, float>)
            return loss_row(row, vocab, gold[i], options.smoothing, options.gradient);
          else
            return loss_row(row, vocab, gold[i], options.smoothing, options.gradient, work);
        },
        sums);
  };
  const bool pairs = others.defined();
  if (logits.scalar_type() == at::kFloat)
    add(numbers<float>(logits), pairs ? numbers<float>(others) : nullptr, pairs ? size : 0);
  else
    add(numbers<uint16_t>(logits), pairs ? numbers<uint16_t>(others) : nullptr,
        pairs ? 3 * size : size);
}

/// Gradients of the sum of losses.
struct LossGradients {
  Tensor features;      // [tokens, width], of the products' type
  Tensor weight, bias;  // [width, vocab] and [vocab], fp32; undefined where none is wanted

  /// Adds the gradients of some rows, whose logits have the gradient `out` [rows, vocab].
  void add(const Tensor& out, const Tensor& rows, int64_t begin, const Tensor& output_weight) {
    features.narrow(0, begin, rows.size(0)).copy_(times_transposed(out, output_weight.t()));
    if (weight.defined()) weight.add_(times_transposed(transposed(rows), out.t()));
    if (bias.defined()) bias.add_(column_sums(out));
  }
};

class OutputLoss : public torch::autograd::Function<OutputLoss> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& features, const Tensor& weight,
                             const std::optional<Tensor>& bias, const Tensor& gold,
                             const RowLossOptions& options, at::ScalarType type) {
    const Tensor x = features.to(type).contiguous(), w = weight.to(type).contiguous();
    const Tensor by_columns = weight_by_columns(w, type);
    const Tensor b = bias ? bias->to(type) : Tensor();
    const int64_t tokens = gold.size(0), vocab = w.size(0);
    const int64_t chunk = rows_together(vocab, type, options.pair.has_value());
    LossGradients gradients;
    if (options.gradient) {
      gradients.features = at::empty_like(x);
      if (weight.requires_grad())
        gradients.weight = at::zeros({w.size(1), vocab}, weight.options());
      if (bias && bias->requires_grad()) gradients.bias = at::zeros_like(*bias);
    }
    LossSums sums;
    for (int64_t begin = 0; begin < tokens; begin += chunk) {
      const int64_t count = std::min(chunk, tokens - begin);
      const Tensor rows = x.narrow(0, begin, count);
      const Tensor logits = times_transposed(rows, by_columns, b);
      Tensor others, other_logits;
      if (options.pair) {
        others = x.narrow(0, tokens + begin, count);
        other_logits = times_transposed(others, by_columns, b);
      }
      to_gradients(logits, other_logits, gold.data_ptr<int64_t>() + begin, options, sums);
      if (!options.gradient) continue;
      gradients.add(logits, rows, begin, w);
      if (options.pair) gradients.add(other_logits, others, tokens + begin, w);
    }
    context->saved_data["features"] = gradients.features;
    if (gradients.weight.defined()) gradients.weight = transposed(gradients.weight);
    context->saved_data["weight"] = gradients.weight;
    context->saved_data["bias"] = gradients.bias;
    context->saved_data["type"] = features.scalar_type();
    const auto number = at::TensorOptions(at::kDouble);
    const Tensor smoothed = at::full({}, sums.smoothed, number),
                 nll = at::full({}, sums.nll, number);
    context->mark_non_differentiable({nll});
    return {smoothed, nll};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    return saved_gradients(context, outer);
  }
};

// --- on other devices

/// The pieces to predict, and the options of their loss.
struct Goal {
  Tensor gold;
  double smoothing = 0;
  OptionalPair pair;
  int64_t together = 0;  // logits
  Tensor weights = {};
};

/// Logits [rows, vocab], with a pair [2 rows, vocab], become their gradient where it is wanted.
void become_gradient(const Tensor& logits, const Goal& goal, bool wants_gradient,
                     OutputLossSum& sum) {
  if (!goal.pair)
    return add_logit_loss(logits, goal.gold, goal.smoothing, wants_gradient ? logits : Tensor(),
                          sum, goal.weights);
  const at::AutoGradMode with_graph(wants_gradient);
  const Tensor leaf = logits.detach().to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  leaf.requires_grad_(wants_gradient);
  const OutputLossSum loss = pair_logit_loss(leaf, goal.gold, goal.smoothing, *goal.pair);
  const at::NoGradGuard without_graph;
  sum.smoothed += loss.smoothed.detach();
  sum.nll += loss.nll;
  if (wants_gradient) Tensor(logits).copy_(torch::autograd::grad({loss.smoothed}, {leaf}).front());
}

/// Gradients of the sum of losses, by chunks of rows.
class OutputGradients {
 public:
  OutputGradients(const Tensor& x, bool of_weight, bool of_bias)
      : of_weight_(of_weight), of_bias_(of_bias), features_(at::empty_like(x)) {}

  /// Adds the gradients of the rows x, which begin at `begin`, from their logits' gradient `outer`.
  void add(const Tensor& outer, const Tensor& x, int64_t begin, const Tensor& weight) {
    Tensor rows = features_.narrow(0, begin, x.size(0));
    at::mm_out(rows, outer, weight);
    if (weight_.defined() && x.scalar_type() == at::kFloat)
      weight_.addmm_(outer.t(), x);
    else if (of_weight_)
      accumulate(weight_, at::mm(outer.t(), x));
    if (of_bias_) accumulate(bias_, outer.sum(0, /*keepdim=*/false, at::kFloat));
  }

  void save(AutogradContext& context) const {
    context.saved_data["features"] = features_;
    context.saved_data["weight"] = weight_;
    context.saved_data["bias"] = bias_;
  }

 private:
  /// Adds in fp32, whatever the type of the products.
  static void accumulate(Tensor& sum, const Tensor& part) {
    if (sum.defined())
      sum.add_(part);
    else
      sum = part.to(at::kFloat);
  }

  bool of_weight_, of_bias_;
  Tensor features_;       // [tokens, width], of the products' type
  Tensor weight_, bias_;  // [vocab, width] and [vocab] fp32; undefined before the first rows
};

class OutputLossOnGpu : public torch::autograd::Function<OutputLossOnGpu> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& features, const Tensor& weight,
                             const std::optional<Tensor>& bias, const Goal& goal,
                             bool wants_gradient, at::ScalarType type) {
    const WithoutAutocast guard;
    const Tensor x = features.to(type).contiguous(), w = weight.to(type);
    const Tensor b = bias ? bias->to(type) : Tensor();
    const int64_t tokens = goal.gold.size(0), vocab = w.size(0), sides = goal.pair ? 2 : 1;
    const int64_t chunk =
        std::clamp<int64_t>(goal.together / (sides * vocab), 1, std::max<int64_t>(tokens, 1));
    const Tensor buffer = at::empty({sides * chunk, vocab}, x.options());
    OutputGradients gradients(x, weight.requires_grad(), bias && bias->requires_grad());
    OutputLossSum sum = OutputLossSum::on(x.device());
    for (int64_t begin = 0; begin < tokens; begin += chunk) {
      const int64_t count = std::min(chunk, tokens - begin);
      const auto rows_of = [&](int64_t side) { return x.narrow(0, side * tokens + begin, count); };
      const auto logits_of = [&](int64_t side) { return buffer.narrow(0, side * count, count); };
      for (int64_t side = 0; side < sides; ++side) {
        Tensor logits = logits_of(side);
        if (bias)
          at::addmm_out(logits, b, rows_of(side), w.t());
        else
          at::mm_out(logits, rows_of(side), w.t());
      }
      const Goal part{goal.gold.narrow(0, begin, count), goal.smoothing, goal.pair, count,
                      goal.weights.defined() ? goal.weights.narrow(0, begin, count) : Tensor()};
      become_gradient(buffer.narrow(0, 0, sides * count), part, wants_gradient, sum);
      if (!wants_gradient) continue;
      for (int64_t side = 0; side < sides; ++side)
        gradients.add(logits_of(side), rows_of(side), side * tokens + begin, w);
    }
    if (wants_gradient) gradients.save(*context);
    context->saved_data["type"] = features.scalar_type();
    context->mark_non_differentiable({sum.nll});
    return {sum.smoothed, sum.nll};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    return saved_gradients(context, outer);
  }
};

constexpr int64_t kTogetherOnCpu = int64_t{1} << 20;  // logits that stay in its cache

/// The type to compute the loss in: fp32, or double where the logits are double (gradient checks).
at::ScalarType type_of_loss(const Tensor& logits) {
  return logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

Tensor log_probabilities(const Tensor& logits, const Tensor& buffer) {
  if (!buffer.defined()) return at::log_softmax(logits, 1, type_of_loss(logits));
  Tensor out = buffer.narrow(0, 0, logits.size(0));
  at::_log_softmax_out(out, logits, 1, false);
  return out;
}

}  // namespace

int64_t rows_together(int64_t vocab, at::ScalarType type, bool pair) {
  const auto bytes = vocab * static_cast<int64_t>(c10::elementSize(type)) * (pair ? 2 : 1);
  return std::max(kChunk / bytes, kFewestRows);
}

OutputLossSum output_loss(const Tensor& features, const Tensor& weight, const Tensor& bias,
                          const Tensor& gold, double smoothing, at::ScalarType type,
                          const OptionalPair& pair) {
  if (!features.is_cpu())
    return output_loss_on_gpu(features, weight, bias, gold, smoothing, pair, type);
  const RowLossOptions options{static_cast<float>(smoothing), pair,
                               needs_gradient(features, weight, bias)};
  const auto sums = OutputLoss::apply(features, weight, if_defined(bias), gold, options, type);
  return {sums[0], sums[1]};
}

OutputLossSum output_loss_on_gpu(const Tensor& features, const Tensor& weight, const Tensor& bias,
                                 const Tensor& gold, double smoothing, const OptionalPair& pair,
                                 at::ScalarType type, int64_t together, const Tensor& weights) {
  const auto sums = OutputLossOnGpu::apply(features, weight, if_defined(bias),
                                           Goal{gold, smoothing, pair, together, weights},
                                           needs_gradient(features, weight, bias), type);
  return {sums[0], sums[1]};
}

OutputLossSum OutputLossSum::on(const at::Device& device) {
  const auto number = at::TensorOptions(device).dtype(at::kDouble);
  return {at::zeros({}, number), at::zeros({}, number)};
}

void add_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                    const Tensor& gradient, OutputLossSum& sum, const Tensor& weights) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const int64_t most = logits.is_cpu() ? kTogetherOnCpu : kLogitsTogether;
  const int64_t chunk = std::clamp<int64_t>(most / vocab, 1, std::max<int64_t>(rows, 1));
  Tensor buffer;
  if (logits.scalar_type() == at::kFloat) buffer = at::empty({chunk, vocab}, logits.options());
  for (int64_t begin = 0; begin < rows; begin += chunk) {
    const int64_t count = std::min(chunk, rows - begin);
    const Tensor part = log_probabilities(logits.narrow(0, begin, count), buffer);
    const Tensor answers = gold.narrow(0, begin, count).unsqueeze(1);
    const auto weighted = [&](const Tensor& rows) {  // [count, any]
      return weights.defined() ? rows * weights.narrow(0, begin, count).unsqueeze(1) : rows;
    };
    const Tensor nll = weighted(part.gather(1, answers)).sum(at::kDouble).neg();
    sum.nll += nll;
    sum.smoothed += nll * (1 - smoothing);
    if (smoothing > 0)
      sum.smoothed -= weighted(part.sum(1, /*keepdim=*/true)).sum(at::kDouble) *
                      (smoothing / static_cast<double>(vocab));
    if (!gradient.defined()) continue;
    Tensor probability = part.exp_();
    if (smoothing > 0) probability.sub_(smoothing / static_cast<double>(vocab));
    probability.scatter_add_(1, answers,
                             at::full_like(answers, smoothing - 1, probability.options()));
    gradient.narrow(0, begin, count).copy_(weighted(probability));
  }
}

OutputLossSum pair_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                              const PairWeights& pair) {
  const auto both = at::log_softmax(logits, 1, type_of_loss(logits)).chunk(2);
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

}  // namespace heed::kernels
