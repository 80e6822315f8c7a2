#include "kernels/additive_scores.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace heed::kernels {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

// One query at a time, so that the inner layer is never larger than [sentences, source, hidden].
struct AdditiveScores : torch::autograd::Function<AdditiveScores> {
  static Tensor inner(const Tensor& query, const Tensor& keys, int64_t t) {
    return (keys + query.select(1, t).unsqueeze(1)).tanh_();
  }

  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& keys,
                        const Tensor& v) {
    Tensor scores = at::empty({keys.size(0), query.size(1), keys.size(1)}, keys.options());
    for (int64_t t = 0; t < query.size(1); ++t)
      scores.select(1, t).copy_(at::matmul(inner(query, keys, t), v));
    context->save_for_backward({query, keys, v});
    return scores;
  }

  // With x = tanh(q + k) and e = 1 - x^2: dv = sum g x, dq = v sum over i of g(i) e(i), dk(i) = v
  // g(i) e(i).
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &query = saved[0], &keys = saved[1], &v = saved[2];
    const Tensor gradient = gradients[0].contiguous();
    Tensor to_query = at::empty_like(query, at::MemoryFormat::Contiguous);
    Tensor to_keys, to_v = at::zeros_like(v);
    for (int64_t t = 0; t < query.size(1); ++t) {
      const Tensor weight = gradient.select(1, t);  // [sentences, source]
      Tensor slope = inner(query, keys, t);         // [sentences, source, hidden]
      to_v.add_(at::mv(slope.flatten(0, 1).t(), weight.reshape({-1})));
      slope.mul_(slope).neg_().add_(1);
      to_query.select(1, t).copy_(at::bmm(weight.unsqueeze(1), slope).squeeze(1));
      slope.mul_(weight.unsqueeze(-1));
      if (to_keys.defined())
        to_keys.add_(slope);
      else
        to_keys = slope;
    }
    return {to_query.mul_(v), to_keys.mul_(v), to_v};
  }
};

}  // namespace

Tensor additive_scores(const Tensor& query, const Tensor& keys, const Tensor& v) {
  return AdditiveScores::apply(query, keys, v);
}

}  // namespace heed::kernels
