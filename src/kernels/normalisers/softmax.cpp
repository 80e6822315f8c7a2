// p(i) = exp(z(i)) / sum over j of exp(z(j))
#include <ATen/ATen.h>

#include "kernels/normalisers/normaliser.h"

namespace heed::kernels {

Tensor softmax(const Tensor& scores) {
  return at::softmax(scores, -1);
}

}  // namespace heed::kernels
