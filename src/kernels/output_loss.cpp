#include "kernels/output_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "kernels/column_sums.h"
#include "kernels/output_loss_on_gpu.h"
#include "kernels/product.h"
#include "kernels/rows/loss.h"
#include "kernels/transpose.h"

namespace heed::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Bytes of logits that are worked on together: they should stay in the last level of cache, and yet
// be enough rows to multiply well.
constexpr int64_t kChunk = int64_t{1} << 24;

struct Sums {
  double smoothed = 0, nll = 0;
};

using OptionalPair = std::optional<PairWeights>;

/// What the loss of a row needs besides its logits.
struct Wanted {
  float smoothing = 0;
  OptionalPair pair;
  bool gradient = false;
};

/// loss(i, scratch) for each row; added up row by row, so that threads change nothing.
template <class Loss>
void add_rows(int64_t rows, std::size_t scratch, const Loss& loss, Sums& sums) {
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

/// Every row of `logits` becomes its gradient; where there are pairs, those of both.
void to_gradients(const Tensor& logits, const Tensor& others, const int64_t* gold,
                  const Wanted& wanted, Sums& sums) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const auto size = static_cast<std::size_t>(vocab);
  const auto add = [&]<class Number>(Number* one, Number* other, std::size_t scratch) {
    add_rows(
        rows, scratch,
        [&](int64_t i, float* work) {
          Number* row = one + i * vocab;
          if (other)
            return pair_loss_rows(row, other + i * vocab, vocab, gold[i], wanted.smoothing,
                                  *wanted.pair, wanted.gradient, work);
          if constexpr (std::is_same_v<Number, float>)
            return loss_row(row, vocab, gold[i], wanted.smoothing, wanted.gradient);
          else
            return loss_row(row, vocab, gold[i], wanted.smoothing, wanted.gradient, work);
        },
        sums);
  };
  const bool pairs = others.defined();
  if (logits.scalar_type() == at::kFloat)
    add(logits.data_ptr<float>(), pairs ? others.data_ptr<float>() : nullptr, pairs ? size : 0);
  else
    add(reinterpret_cast<uint16_t*>(logits.data_ptr<at::BFloat16>()),
        pairs ? reinterpret_cast<uint16_t*>(others.data_ptr<at::BFloat16>()) : nullptr,
        pairs ? 3 * size : size);
}

/// Gradients of the sum of losses.
struct Gradients {
  Tensor features;      // [tokens, width], of the products' type
  Tensor weight, bias;  // [width, vocab] and [vocab], fp32

  /// Adds those of some rows, with logits' gradient `out` [rows, vocab].
  void add(const Tensor& out, const Tensor& rows, int64_t begin, const Tensor& output_weight) {
    features.narrow(0, begin, rows.size(0)).copy_(times_transposed(out, output_weight.t()));
    weight.add_(times_transposed(transposed(rows), out.t()));
    if (bias.defined()) bias.add_(column_sums(out));
  }
};

class OutputLoss : public torch::autograd::Function<OutputLoss> {
 public:
  /// Without a bias the weight stands in its place: autograd takes no undefined tensor.
  static tensor_list forward(AutogradContext* context, const Tensor& features, const Tensor& weight,
                             const Tensor& bias, bool has_bias, const Tensor& gold,
                             const Wanted& wanted, at::ScalarType type) {
    const Tensor x = features.to(type).contiguous(), w = weight.to(type).contiguous();
    const Tensor by_columns = weight_by_columns(w, type);
    const Tensor b = has_bias ? bias.to(type) : Tensor();
    const int64_t tokens = gold.size(0), vocab = w.size(0);
    const int64_t chunk =
        std::clamp<int64_t>(kChunk / (vocab * w.element_size() * (wanted.pair ? 2 : 1)), 1,
                            std::max<int64_t>(tokens, 1));
    Gradients gradients;
    if (wanted.gradient) {
      gradients = {at::empty_like(x), at::zeros({w.size(1), vocab}, weight.options()), {}};
      if (has_bias) gradients.bias = at::zeros_like(bias);
    }
    Sums sums;
    for (int64_t begin = 0; begin < tokens; begin += chunk) {
      const int64_t count = std::min(chunk, tokens - begin);
      const Tensor rows = x.narrow(0, begin, count);
      const Tensor logits = times_transposed(rows, by_columns, b);
      Tensor others, other_logits;
      if (wanted.pair) {
        others = x.narrow(0, tokens + begin, count);
        other_logits = times_transposed(others, by_columns, b);
      }
      to_gradients(logits, other_logits, gold.data_ptr<int64_t>() + begin, wanted, sums);
      if (!wanted.gradient) continue;
      gradients.add(logits, rows, begin, w);
      if (wanted.pair) gradients.add(other_logits, others, tokens + begin, w);
    }
    context->saved_data["features"] = gradients.features;
    context->saved_data["weight"] = wanted.gradient ? transposed(gradients.weight) : Tensor();
    context->saved_data["bias"] = gradients.bias;
    context->saved_data["type"] = features.scalar_type();
    const auto number = at::TensorOptions(at::kDouble);
    const Tensor smoothed = at::full({}, sums.smoothed, number),
                 nll = at::full({}, sums.nll, number);
    context->mark_non_differentiable({nll});
    return {smoothed, nll};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Tensor features = context->saved_data["features"].toTensor();
    Tensor weight = context->saved_data["weight"].toTensor();
    Tensor bias = context->saved_data["bias"].toTensor();
    expect(features.defined(), "a second backward pass through one loss");
    for (const char* name : {"features", "weight", "bias"}) context->saved_data[name] = Tensor();
    const Tensor scale = outer[0].to(at::kFloat);
    features = features.mul_(scale).to(context->saved_data["type"].toScalarType());
    weight.mul_(scale);
    if (bias.defined()) bias.mul_(scale);
    return {features, weight, bias, Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

OutputLossSum loss_of(const Tensor& features, const Tensor& weight, const Tensor& bias,
                      const Tensor& gold, double smoothing, const OptionalPair& pair,
                      at::ScalarType type) {
  if (!features.is_cpu())
    return output_loss_on_gpu(features, weight, bias, gold, smoothing, pair, type);
  const bool gradient =
      at::GradMode::is_enabled() && (features.requires_grad() || weight.requires_grad() ||
                                     (bias.defined() && bias.requires_grad()));
  const Wanted wanted{static_cast<float>(smoothing), pair, gradient};
  const auto sums = OutputLoss::apply(features, weight, bias.defined() ? bias : weight,
                                      bias.defined(), gold, wanted, type);
  return {sums[0], sums[1]};
}

}  // namespace

OutputLossSum output_loss(const Tensor& features, const Tensor& weight, const Tensor& bias,
                          const Tensor& gold, double smoothing, at::ScalarType type) {
  return loss_of(features, weight, bias, gold, smoothing, {}, type);
}

OutputLossSum output_pair_loss(const Tensor& features, const Tensor& weight, const Tensor& bias,
                               const Tensor& gold, double smoothing, const PairWeights& pair,
                               at::ScalarType type) {
  return loss_of(features, weight, bias, gold, smoothing, pair, type);
}

}  // namespace heed::kernels
