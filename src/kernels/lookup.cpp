#include "kernels/lookup.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "kernels/autograd.h"

namespace heed::kernels {
namespace {

class Lookup : public torch::autograd::Function<Lookup> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& table, const Tensor& indices) {
    context->save_for_backward({indices});
    context->saved_data["rows"] = table.size(0);
    return at::embedding(table, indices);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const Tensor indices = context->get_saved_variables()[0].flatten();
    const Tensor gradient = outer[0].reshape({indices.size(0), -1});
    const Tensor sums =
        at::zeros({context->saved_data["rows"].toInt(), gradient.size(1)}, gradient.options());
    return {sums.index_add_(0, indices, gradient), Tensor()};
  }
};

}  // namespace

Tensor lookup(const Tensor& table, const Tensor& indices) {
  const bool in_any_order = !table.is_cpu() && at::GradMode::is_enabled() &&
                            !at::globalContext().deterministicAlgorithms();
  return in_any_order ? Lookup::apply(table, indices) : at::embedding(table, indices);
}

}  // namespace heed::kernels
