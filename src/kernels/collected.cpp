#include "kernels/collected.h"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "kernels/autograd.h"
#include "kernels/product.h"

namespace heed::kernels {

/// What the steps of a sequence share: the weight in the products' type, and, backwards, what each
/// step adds to its gradient.
struct Collected::Collector {
  Tensor weight, bias;
  Tensor by_columns;  // the weight with contiguous columns
  std::vector<Tensor> inputs, gradients;
};

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using Collector = Collected::Collector;
using CollectorPtr = std::shared_ptr<Collector>;

/// Hands the weight on, and turns what the steps collected into its gradient: autograd runs it
/// backwards when all steps have run.
class Collect : public torch::autograd::Function<Collect> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& weight,
                        const std::optional<Tensor>& bias, const CollectorPtr& collector) {
    const auto type = product_type(weight);
    collector->weight = weight.to(type);
    collector->by_columns = weight_by_columns(weight, type);
    if (bias) collector->bias = bias->to(type);
    carry(context, collector);
    context->saved_data["type"] = weight.scalar_type();
    context->set_materialize_grads(false);
    return weight.view_as(weight);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Collector& collector = carried<Collector>(context);
    // Who used the weight outside the steps has sent a gradient of its own.
    if (collector.inputs.empty()) return {outer[0], Tensor(), Tensor()};
    const auto type = context->saved_data["type"].toScalarType();
    const Tensor x = at::cat(std::exchange(collector.inputs, {}));
    const Tensor gradient = at::cat(std::exchange(collector.gradients, {}));
    Tensor to_bias;
    if (collector.bias.defined()) to_bias = column_sums(gradient);
    const Tensor to_weight = weight_gradient(gradient, x, type);
    return {outer[0].defined() ? to_weight + outer[0] : to_weight, to_bias, Tensor()};
  }
};

class Step : public torch::autograd::Function<Step> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor&,
                        const CollectorPtr& collector) {
    const Tensor input = x.to(collector->weight.scalar_type());
    context->save_for_backward({input});
    carry(context, collector);
    context->saved_data["type"] = x.scalar_type();
    return times_transposed(input, collector->by_columns, collector->bias);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Collector& shared = carried<Collector>(context);
    const Tensor gradient = outer[0].to(shared.weight.scalar_type()).contiguous();
    shared.inputs.push_back(context->get_saved_variables()[0]);
    shared.gradients.push_back(gradient);
    return {times_transposed(gradient, shared.weight.t())
                .to(context->saved_data["type"].toScalarType()),
            Tensor(), Tensor()};
  }
};

}  // namespace

Collected collected(const Tensor& weight, const Tensor& bias) {
  const auto type = weight.scalar_type();
  if (!at::GradMode::is_enabled() || !weight.requires_grad() || !weight.is_cpu() ||
      type != at::kFloat)
    return {weight, bias, {}};
  const auto collector = std::make_shared<Collector>();
  const Tensor waiting = Collect::apply(weight, if_defined(bias), collector);
  return {waiting, bias, collector};
}

Tensor collected_linear(const Tensor& x, const Collected& layer) {
  if (!layer.collector) return at::linear(x, layer.weight, layer.bias);
  auto sizes = x.sizes().vec();
  sizes.back() = layer.weight.size(0);
  return Step::apply(x.flatten(0, -2), layer.weight, layer.collector).view(sizes);
}

}  // namespace heed::kernels
