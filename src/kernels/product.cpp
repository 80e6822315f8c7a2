#include "kernels/product.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/autograd.h"
#include "kernels/rows/matrix.h"

namespace heed::kernels {
namespace {

// Below this number of multiplications oneDNN's preparations cost more time than it saves.
constexpr int64_t kWorthwhile = int64_t{1} << 22;

constexpr int64_t kNarrowStrip = 128;  // columns that are summed by one thread, at least

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

/// Whether oneDNN computes products of x: in bf16 by ATen's own choice, in fp32 by ours.
bool is_ours(const Tensor& x) {
  return one_dnn() && x.is_cpu() && is_fp32_or_bf16(x);
}

/// Whether we call oneDNN for a product of x with this number of multiplications.
bool calls_one_dnn(const Tensor& x, int64_t multiplications) {
  return is_ours(x) && x.scalar_type() == at::kFloat && multiplications >= kWorthwhile;
}

class LinearProduct : public torch::autograd::Function<LinearProduct> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& w,
                        const std::optional<Tensor>& bias, at::ScalarType type) {
    const Tensor input = x.to(type).contiguous();
    // Only the gradient of w needs the input.
    context->save_for_backward({w.requires_grad() ? input : Tensor(), w});
    context->saved_data["to_bias"] = bias && bias->requires_grad();
    context->saved_data["type"] = x.scalar_type();
    auto sizes = x.sizes().vec();
    sizes.back() = w.size(0);
    const Tensor out = times_transposed(input.view({-1, w.size(1)}), weight_by_columns(w, type),
                                        bias ? bias->to(type) : Tensor());
    return at::_unsafe_view(out, sizes);  // a view could not be changed in place
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    const Tensor gradient = outer[0].contiguous().view({-1, w.size(0)});
    auto sizes = outer[0].sizes().vec();
    sizes.back() = w.size(1);
    tensor_list to(4);
    if (context->needs_input_grad(0))
      to[0] = times_transposed(gradient, w.to(gradient.scalar_type()).t())
                  .view(sizes)
                  .to(context->saved_data["type"].toScalarType());
    if (context->needs_input_grad(1))
      to[1] = weight_gradient(gradient, x.view({-1, w.size(1)}), w.scalar_type());
    if (context->saved_data["to_bias"].toBool()) to[2] = column_sums(gradient);
    return to;
  }
};

}  // namespace

Tensor transposed(const Tensor& x, at::ScalarType type) {
  expect(x.is_contiguous() && is_fp32_or_bf16(x) && is_fp32_or_bf16(type),
         "a matrix of fp32 or bf16");
  const int64_t rows = x.size(0), columns = x.size(1);
  const Tensor result = at::empty({columns, rows}, x.options().dtype(type));
  const int64_t blocks = (rows + kTransposeBlock - 1) / kTransposeBlock;
  const int64_t grain =
      std::max<int64_t>(1, 32768 / (kTransposeBlock * std::max<int64_t>(columns, 1)));
  const auto transpose = [&]<class From, class To>(const From* from, To* to) {
    at::parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      transpose_rows(from, to, rows, columns, begin * kTransposeBlock,
                     std::min(end * kTransposeBlock, rows));
    });
  };
  as_stored(x.scalar_type(), [&]<class From>() {
    as_stored(type, [&]<class To>() { transpose(numbers<From>(x), numbers<To>(result)); });
  });
  return result;
}

Tensor column_sums(const Tensor& x) {
  expect(x.is_contiguous() && x.dim() == 2, "a matrix whose rows follow each other");
  const int64_t rows = x.size(0), columns = x.size(1);
  const Tensor result = at::empty({columns}, x.options().dtype(at::kFloat));
  float* to = numbers<float>(result);
  // Wide strips read memory in order; with fewer columns of its own each thread has a narrower one.
  const int64_t threads = at::in_parallel_region() ? 1 : at::get_num_threads();
  const int64_t strip =
      std::clamp((columns / threads + kLanes - 1) / kLanes * kLanes, kNarrowStrip, kStrip);
  const int64_t grain = std::max<int64_t>(1, 32768 / (strip * std::max<int64_t>(rows, 1)));
  as_stored(x.scalar_type(), [&]<class T>() {
    const T* from = numbers<T>(x);
    at::parallel_for(0, (columns + strip - 1) / strip, grain, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin * strip; j < std::min(end * strip, columns); j += strip)
        sum_strip(from + j, rows, columns, std::min(strip, columns - j), to + j);
    });
  });
  return result;
}

Tensor weight_by_columns(const Tensor& w, at::ScalarType type) {
  return is_ours(w) ? transposed(w.contiguous(), type).t() : w.to(type);
}

Tensor times_transposed(const Tensor& x, const Tensor& w, const Tensor& bias) {
  if (calls_one_dnn(x, x.size(0) * w.numel()))
    return one_dnn()->call(x, w, if_defined(bias), "none", c10::List<std::optional<at::Scalar>>(),
                           "");
  return bias.defined() ? at::addmm(bias, x, w.t()) : at::mm(x, w.t());
}

Tensor weight_gradient(const Tensor& outer, const Tensor& x, at::ScalarType type) {
  if (outer.is_cuda() && type == at::kFloat && outer.scalar_type() != at::kFloat)
    return at::mm(outer.t(), x, type);  // which a GPU does not round to bf16 before
  // In bf16 the product gains no more than transposing costs.
  if (!calls_one_dnn(outer, outer.numel() * x.size(1))) return at::mm(outer.t(), x).to(type);
  const Tensor from = outer.contiguous(), by = x.contiguous();
  if (from.size(1) < by.size(1)) return times_transposed(transposed(from), by.t()).to(type);
  return transposed(times_transposed(transposed(by), from.t()), type);
}

at::ScalarType product_type(const Tensor& factor) {
  const auto device = factor.device().type();
  // Not every kind of device has autocast: `meta`, whose tensors have shapes alone, has none.
  const bool lowered =
      at::autocast::is_autocast_available(device) && at::autocast::is_autocast_enabled(device);
  return lowered ? at::autocast::get_autocast_dtype(device) : factor.scalar_type();
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias) {
  const auto type = product_type(w);
  const bool ours = at::GradMode::is_enabled() && is_ours(x) && is_ours(w) &&
                    w.scalar_type() == at::kFloat && is_fp32_or_bf16(type);
  if (!ours) return at::linear(x, w, bias);
  return LinearProduct::apply(x, w, if_defined(bias), type);
}

/// Data that the steps of a sequence share: the weight in the products' type, and, in the backward
/// pass, the inputs and gradients from which its gradient is computed.
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

/// Hands the weight on, and makes its gradient of the tensors that the steps collected: autograd
/// runs it backwards when all steps have run.
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
    // Code that used the weight outside the steps has sent a gradient of its own.
    if (collector.inputs.empty()) return {outer[0], Tensor(), Tensor()};
    const auto type = context->saved_data["type"].toScalarType();
    const Tensor x = at::cat(std::exchange(collector.inputs, {}));
    const Tensor gradient = at::cat(std::exchange(collector.gradients, {}));
    Tensor to_bias;
    if (collector.bias.defined())
      to_bias = gradient.is_cpu() ? column_sums(gradient)
                                  : gradient.sum(0, /*keepdim=*/false, at::kFloat);
    const Tensor to_weight = weight_gradient(gradient, x, type);
    return {outer[0].defined() ? to_weight + outer[0] : to_weight, to_bias, Tensor()};
  }
};

class ProductStep : public torch::autograd::Function<ProductStep> {
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
  if (!at::GradMode::is_enabled() || !weight.requires_grad() || type != at::kFloat)
    return {weight, bias, {}};
  const auto collector = std::make_shared<Collector>();
  const Tensor waiting = Collect::apply(weight, if_defined(bias), collector);
  return {waiting, bias, collector};
}

Tensor collected_linear(const Tensor& x, const Collected& layer) {
  if (!layer.collector) return at::linear(x, layer.weight, layer.bias);
  auto sizes = x.sizes().vec();
  sizes.back() = layer.weight.size(0);
  return ProductStep::apply(x.flatten(0, -2), layer.weight, layer.collector).view(sizes);
}

}  // namespace heed::kernels
