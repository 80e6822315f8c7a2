// p = argmax over the simplex of p . z + H(p) with Tsallis' entropy H of alpha = 1.5, which is
// max(0, z(i) / 2 - t)^2
// Peters, Niculae and Martins 2019, algorithm 2. If the k largest of z / 2 have a weight, these add
// up to 1 at t(k) = M(k) - sqrt((1 - S(k)) / k), with M(k) their mean and S(k) the sum of their
// squared distances from it; k is the largest number whose t(k) is not above the k-th of them.

#include "kernels/autograd.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/normalisers/sorted.h"

namespace heed::kernels {
namespace {

class Entmax15 : public torch::autograd::Function<Entmax15> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& scores) {
    const Tensor z = below_largest(scores / 2);
    const Sorted sorted(z);
    const Tensor mean = sorted.values.cumsum(-1) / sorted.ranks;
    const Tensor spread = sorted.values.square().cumsum(-1) - sorted.ranks * mean.square();  // S(k)
    const Tensor thresholds = mean - ((1 - spread) / sorted.ranks).clamp_min(0).sqrt();
    const Tensor threshold = Sorted::chosen(thresholds, thresholds.le(sorted.values));
    const Tensor weights = (z - threshold).clamp_min(0).square();
    context->save_for_backward({weights});
    return weights;
  }

  // r (g - (r . g) / (r . 1)) with r the root of the weights (proposition 2 of the paper's
  // appendix).
  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const Tensor root = context->get_saved_variables()[0].sqrt();
    const Tensor mean = (outer[0] * root).sum(-1, true) / root.sum(-1, true);
    return {(outer[0] - mean) * root};
  }
};

}  // namespace

Tensor entmax15(const Tensor& scores) {
  return Entmax15::apply(scores);
}

}  // namespace heed::kernels
