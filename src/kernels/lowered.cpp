#include "kernels/lowered.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "kernels/autograd.h"

namespace heed::kernels {
namespace {

/// x [..., width] as [rows, width].
Tensor rows_of(const Tensor& x) {
  return x.dim() == 2 ? x : x.flatten(0, -2);
}

Tensor product_of(const Tensor& x, const LoweredWeights& lowered) {
  auto sizes = x.sizes().vec();
  sizes.back() = lowered.weight.size(0);
  // A view could not be changed in place.
  return at::_unsafe_view(at::linear(rows_of(x), lowered.weight, lowered.bias), sizes);
}

class LoweredLinear : public torch::autograd::Function<LoweredLinear> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& /*weight*/,
                        const std::shared_ptr<LoweredWeights>& lowered) {
    const Tensor input = x.to(lowered->weight.scalar_type());
    context->save_for_backward({input});
    context->saved_data["type"] = x.scalar_type();
    carry(context, lowered);
    return product_of(input, *lowered);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    auto& lowered = carried<LoweredWeights>(context);
    const Tensor x = rows_of(context->get_saved_variables()[0]);
    const Tensor gradient = rows_of(outer[0].to(x.scalar_type()).contiguous());
    const auto work = [&] {
      if (lowered.weight_gradient.defined())
        product_in_fp32(lowered.weight_gradient, gradient.t(), x);
      if (lowered.bias_gradient.defined())
        at::sum_out(lowered.bias_gradient, gradient, 0, /*keepdim=*/false, at::kFloat);
    };
    if (lowered.weight_gradient.defined() || lowered.bias_gradient.defined()) {
      expect(!lowered.written, "one use of a layer in a backward pass");
      lowered.written = true;
      if (lowered.side)
        lowered.side->run({gradient, x}, work);
      else
        work();
    }
    tensor_list to(3);
    if (!context->needs_input_grad(0)) return to;
    auto sizes = outer[0].sizes().vec();
    sizes.back() = x.size(1);
    const auto type = context->saved_data["type"].toScalarType();
    if (type == at::kFloat) {
      to[0] = at::empty({x.size(0), x.size(1)}, x.options().dtype(type));
      product_in_fp32(to[0], gradient, lowered.weight);
    } else {
      to[0] = at::mm(gradient, lowered.weight).to(type);
    }
    to[0] = to[0].view(sizes);
    return to;
  }
};

}  // namespace

Tensor lowered_linear(const Tensor& x, const Tensor& weight,
                      const std::shared_ptr<LoweredWeights>& lowered) {
  const WithoutAutocast guard;
  if (at::GradMode::is_enabled()) return LoweredLinear::apply(x, weight, lowered);
  return product_of(x.to(lowered->weight.scalar_type()), *lowered);
}

void product_in_fp32(const Tensor& out, const Tensor& a, const Tensor& b) {
  Tensor to = out;
  if (a.scalar_type() == at::kFloat)
    at::mm_out(to, a, b);
  else if (a.is_cuda())
    at::mm_out(to, a, b, at::kFloat);
  else
    to.copy_(at::mm(a, b));
}

}  // namespace heed::kernels
