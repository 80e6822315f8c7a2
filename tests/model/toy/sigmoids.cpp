// p(i) = s(z(i)) / sum over j of s(z(j)) with s(x) = 1 / (1 + exp(-x))
#include <ATen/ATen.h>

#include "kernels/normalisers/normaliser.h"

namespace heed::kernels {

Tensor sigmoids(const Tensor& scores) {
  return at::softmax(at::log_sigmoid(scores), -1);  // s(x) itself can be 0 for all
}

}  // namespace heed::kernels
