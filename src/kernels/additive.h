// The additive score, v . tanh(W s + U h(i)): additive attention for the steps of one sequence, and
// the score alone.
#pragma once

#include <memory>

#include "kernels/tensor.h"

namespace heed::kernels {

/// The keys and values of one batch, as the steps of a sequence read them. It is undefined where
/// this kernel does not take them.
struct AdditiveMemory {
  struct Shared;

  std::shared_ptr<Shared> shared;
  Tensor keys;  // through which autograd waits for every step

  bool defined() const { return shared != nullptr; }
};

/// `keys` [sentences, source, hidden], `values` [sentences, source, memory], v [hidden], `bias`
/// [sentences, 1, source]: 0 on real positions, which come first, and -inf after them. The result
/// is undefined for another bias, off the CPU, for doubles, and for keys without a gradient where
/// gradients are wanted.
AdditiveMemory additive_memory(const Tensor& keys, const Tensor& values, const Tensor& v,
                               const Tensor& bias);

struct AdditiveAttended {
  Tensor context;  // [sentences, query, memory]
  Tensor weights;  // [sentences, query, source], without a gradient
  Tensor logs;     // of the weights, with a gradient, where they are wanted; no less than -87.4
};

/// Additive attention of one step: each sentence's positions are read once, padding never, and the
/// gradients of keys and values are added up where they stand. It runs on the CPU, with fp32
/// inside. query [sentences, query, hidden]; `memory` is defined. The readable twin is
/// additive_scores() with attend_with().
AdditiveAttended additive_attention(const Tensor& query, const AdditiveMemory& memory,
                                    bool logs = false);

/// v . tanh(q + k(i)) for every query and position: query [sentences, query, hidden], keys
/// [sentences, source, hidden], v [hidden] -> [sentences, query, source]. Nothing of the size query
/// x source x hidden is kept for the gradient: the backward pass computes tanh once more. All
/// tensors are of one type. The function is made of LibTorch's operations and runs on every device.
Tensor additive_scores(const Tensor& query, const Tensor& keys, const Tensor& v);

}  // namespace heed::kernels
