// Additive attention for the steps of one sequence: each sentence's positions are read once per
// step, padding never, and the gradients of keys and values are added up where they stand. CPU,
// fp32 inside. The readable twin is additive_scores() with attend_with().
#pragma once

#include <optional>

#include "model/tensor.h"

namespace heed::model::kernels {

/// A stand-in for `keys` [sentences, source, hidden] that additive_attention() knows by; `values`
/// [sentences, source, memory], v [hidden], `bias` [sentences, 1, source] with 0 on real positions,
/// which come first. Where no gradient is wanted these are the keys in fp32; off the CPU and for
/// doubles the keys themselves.
Tensor additive_memory(const Tensor& keys, const Tensor& values, const Tensor& v,
                       const Tensor& bias);

struct AdditiveAttended {
  Tensor context;  // [sentences, query, memory]
  Tensor weights;  // [sentences, query, source], without a gradient
};

/// query [sentences, query, hidden]. `keys` is the stand-in of additive_memory() with this very
/// bias, or, where no gradient is wanted, fp32 keys that `values`, v and `bias` go with; nothing
/// where it is neither.
std::optional<AdditiveAttended> additive_attention(const Tensor& query, const Tensor& keys,
                                                   const Tensor& values, const Tensor& v,
                                                   const Tensor& bias);

}  // namespace heed::model::kernels
