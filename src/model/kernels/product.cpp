#include "model/kernels/product.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "model/kernels/transpose.h"

namespace heed::model::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Below so many multiplications oneDNN's preparations cost more than it wins.
constexpr int64_t kWorthwhile = int64_t{1} << 22;

using LinearPointwise = Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                               c10::string_view, c10::List<std::optional<at::Scalar>>,
                               std::optional<c10::string_view>);

/// oneDNN's product, where this LibTorch has it.
const std::optional<c10::TypedOperatorHandle<LinearPointwise>>& one_dnn() {
  static const auto found = [] {
    auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return schema ? std::optional(schema->typed<LinearPointwise>()) : std::nullopt;
  }();
  return found;
}

bool is_float(const Tensor& x) {
  return x.is_cpu() && x.scalar_type() == at::kFloat;
}

class Linear : public torch::autograd::Function<Linear> {
 public:
  /// Without a bias the weight stands in its place: autograd takes no undefined tensor.
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& w,
                        const Tensor& bias, bool has_bias) {
    context->save_for_backward({x, w});
    context->saved_data["has_bias"] = has_bias;
    return times_transposed(x, w, has_bias ? bias : Tensor());
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1], gradient = outer[0].contiguous();
    tensor_list to(4);
    if (context->needs_input_grad(0)) to[0] = times_transposed(gradient, w.t());
    if (context->needs_input_grad(1)) to[1] = weight_gradient(gradient, x);
    if (context->saved_data["has_bias"].toBool()) to[2] = gradient.sum(0);
    return to;
  }
};

}  // namespace

Tensor times_transposed(const Tensor& x, const Tensor& w, const Tensor& bias) {
  if (one_dnn() && is_float(x) && is_float(w) && x.size(0) * w.numel() >= kWorthwhile)
    return one_dnn()->call(x, w, bias.defined() ? std::optional(bias) : std::nullopt, "none",
                           c10::List<std::optional<at::Scalar>>(), "");
  return bias.defined() ? at::addmm(bias, x, w.t()) : at::mm(x, w.t());
}

Tensor for_few_rows(const Tensor& w) {
  return one_dnn() && is_float(w) ? transposed(w.contiguous()).t() : w;
}

Tensor weight_gradient(const Tensor& outer, const Tensor& x) {
  const bool ours = one_dnn() && is_float(outer) && is_float(x);
  if (!ours || outer.numel() * x.size(1) < kWorthwhile) return at::mm(outer.t(), x);
  // The rows of oneDNN's left side are contiguous: the smaller side is turned.
  const Tensor from = outer.contiguous(), by = x.contiguous();
  if (from.size(1) <= by.size(1)) return times_transposed(transposed(from), by.t());
  return transposed(times_transposed(transposed(by), from.t()));
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias) {
  const bool ours = at::GradMode::is_enabled() && is_float(x) && is_float(w) &&
                    !at::autocast::is_autocast_enabled(at::kCPU);
  if (!ours) return at::linear(x, w, bias);
  auto sizes = x.sizes().vec();
  sizes.back() = w.size(0);
  const bool has_bias = bias.defined();
  return Linear::apply(x.reshape({-1, w.size(1)}), w, has_bias ? bias : w, has_bias).view(sizes);
}

}  // namespace heed::model::kernels
