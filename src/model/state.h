// The tensors that a decoder carries from step to step.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor.h"

namespace heed::model {

/// The tensors that a decoder carries between steps. Rows of `memory` belong to sentences and never
/// move while a beam is reordered; rows of `carried` belong to hypotheses. Undefined tensors are
/// allowed and skipped.
struct State {
  std::vector<Tensor> memory;   // each [sentences, ...]
  std::vector<Tensor> carried;  // each [sentences, beam, ...]
  int64_t position = 0;         // steps taken so far
  std::vector<int64_t> beams;   // hypotheses of a sentence at each step, where a model asks
  /// [1] int64, the position on the device, for steps that are the same work wherever they are
  /// (FixedBeams); it stays below `end`. If it is undefined, the position is `position`.
  Tensor at = {};
  int64_t end = 0;
};

/// Goes on with the given sentences (int64 [kept]; undefined: all) and with the given hypotheses
/// (int64 [kept, new beam], numbered through all sentences of `state`; undefined: theirs): finished
/// sentences leave and beams are reordered by one operation for each tensor.
void reorder(State& state, const Tensor& sentences, const Tensor& hypotheses);

}  // namespace heed::model
