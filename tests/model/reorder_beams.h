// Beams are reordered within each sentence, as a test writes them down.
#pragma once

#include <ATen/ATen.h>

#include "model/model.h"

namespace heed::model {

/// Gives each sentence the hypotheses `parents` (int64 [sentences, new beam], indices into the old
/// beam).
inline void reorder_beams(State& state, const Tensor& parents) {
  int64_t beam = 1;
  for (const Tensor& tensor : state.carried)
    if (tensor.defined()) beam = tensor.size(1);
  const Tensor first = at::arange(parents.size(0), parents.options()).mul_(beam).unsqueeze(1);
  reorder(state, {}, parents + first);
}

}  // namespace heed::model
