// The additive score, v . tanh(W s + U h(i)), in operations of the library: on every device.
#pragma once

#include "kernels/tensor.h"

namespace heed::kernels {

/// v . tanh(q + k(i)) for every query and position: query [sentences, query, hidden], keys
/// [sentences, source, hidden], v [hidden] -> [sentences, query, source]. Nothing of the size query
/// x source x hidden is kept for the gradient: the backward pass computes tanh once more. All of
/// one type.
Tensor additive_scores(const Tensor& query, const Tensor& keys, const Tensor& v);

}  // namespace heed::kernels
