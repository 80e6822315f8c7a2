// p = argmin over the simplex of ||p - z||^2, which is max(0, z(i) - t)
// Martins and Astudillo 2016, algorithm 1 and proposition 1. With z sorted from the largest on, the
// k first ones are above the threshold while 1 + k z(k) > z(1) + ... + z(k), and t is what makes
// their weights add up to 1.

#include "kernels/autograd.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/normalisers/sorted.h"

namespace heed::kernels {
namespace {

class Sparsemax : public torch::autograd::Function<Sparsemax> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& scores) {
    const Tensor z = below_largest(scores);
    const Sorted sorted(z);
    const Tensor sums = sorted.values.cumsum(-1);
    const Tensor inside = (sorted.values * sorted.ranks + 1).gt(sums);
    const Tensor threshold = Sorted::chosen((sums - 1) / sorted.ranks, inside);
    const Tensor weights = (z - threshold).clamp_min(0);
    context->save_for_backward({weights});
    return weights;
  }

  // The gradient of a score whose weight is above 0 is that of the weight less the mean over these
  // scores (section 2.5), else 0.
  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const Tensor inside = context->get_saved_variables()[0].gt(0).to(outer[0].scalar_type());
    const Tensor mean = (outer[0] * inside).sum(-1, true) / inside.sum(-1, true);
    return {(outer[0] - mean) * inside};
  }
};

}  // namespace

Tensor sparsemax(const Tensor& scores) {
  return Sparsemax::apply(scores);
}

}  // namespace heed::kernels
