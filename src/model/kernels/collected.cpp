#include "model/kernels/collected.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "model/kernels/column_sums.h"
#include "model/kernels/product.h"

namespace heed::model::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// What the steps of a sequence share: the weight in the products' type, and, backwards, what each
/// step adds to its gradient.
struct Collector : torch::CustomClassHolder {
  Tensor weight, bias;
  Tensor turned;  // the weight with contiguous columns
  std::vector<Tensor> inputs, gradients;
};

Collector& collector_in(const c10::IValue& value) {
  return *static_cast<Collector*>(value.toCapsule().get());
}

/// Hands the weight on, and turns what the steps collected into its gradient: autograd runs it
/// backwards when all steps have run.
class Collect : public torch::autograd::Function<Collect> {
 public:
  /// Without a bias the weight stands in its place: autograd takes no undefined tensor.
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& bias,
                        bool has_bias, at::ScalarType type) {
    auto collector = c10::make_intrusive<Collector>();
    collector->weight = weight.to(type);
    collector->turned = turned_weight(weight, type);
    if (has_bias) collector->bias = bias.to(type);
    context->saved_data["collector"] = c10::IValue::make_capsule(collector);
    context->saved_data["type"] = weight.scalar_type();
    context->set_materialize_grads(false);
    return weight.view_as(weight);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Collector& collector = collector_in(context->saved_data["collector"]);
    // Who used the stand-in as a plain weight has sent a gradient of its own.
    if (collector.inputs.empty()) return {outer[0], Tensor(), Tensor(), Tensor()};
    const auto type = context->saved_data["type"].toScalarType();
    const Tensor x = at::cat(std::exchange(collector.inputs, {}));
    const Tensor gradient = at::cat(std::exchange(collector.gradients, {}));
    Tensor to_bias;
    if (collector.bias.defined()) to_bias = column_sums(gradient);
    const Tensor to_weight = weight_gradient(gradient, x, type);
    return {outer[0].defined() ? to_weight + outer[0] : to_weight, to_bias, Tensor(), Tensor()};
  }
};

class Step : public torch::autograd::Function<Step> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor&,
                        const c10::IValue& collector) {
    const Collector& shared = collector_in(collector);
    const Tensor input = x.to(shared.weight.scalar_type());
    context->save_for_backward({input});
    context->saved_data["collector"] = collector;
    context->saved_data["type"] = x.scalar_type();
    return times_transposed(input, shared.turned, shared.bias);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Collector& shared = collector_in(context->saved_data["collector"]);
    const Tensor gradient = outer[0].to(shared.weight.scalar_type()).contiguous();
    shared.inputs.push_back(context->get_saved_variables()[0]);
    shared.gradients.push_back(gradient);
    return {times_transposed(gradient, shared.weight.t())
                .to(context->saved_data["type"].toScalarType()),
            Tensor(), Tensor()};
  }
};

/// The collector behind a stand-in, or nothing.
c10::IValue collector_of(const Tensor& weight) {
  const auto node = weight.grad_fn();
  const auto* collect = dynamic_cast<torch::autograd::CppNode<Collect>*>(node.get());
  if (collect == nullptr) return {};
  return const_cast<torch::autograd::CppNode<Collect>*>(collect)->ctx_.saved_data["collector"];
}

}  // namespace

Collected collected(const Tensor& weight, const Tensor& bias) {
  const auto type = weight.scalar_type();
  if (!at::GradMode::is_enabled() || !weight.requires_grad() || !weight.is_cpu() ||
      type != at::kFloat)
    return {weight, bias};
  const bool has_bias = bias.defined();
  return {Collect::apply(weight, has_bias ? bias : weight, has_bias, product_type(weight)), bias};
}

Tensor collected_linear(const Tensor& x, const Collected& layer) {
  const c10::IValue collector = collector_of(layer.weight);
  if (collector.isNone()) return at::linear(x, layer.weight, layer.bias);
  auto sizes = x.sizes().vec();
  sizes.back() = layer.weight.size(0);
  return Step::apply(x.flatten(0, -2), layer.weight, collector).view(sizes);
}

}  // namespace heed::model::kernels
