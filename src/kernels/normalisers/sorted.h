// What normalisers with a threshold begin with.
#pragma once

#include <ATen/ATen.h>

#include <tuple>

#include "kernels/tensor.h"

namespace heed::kernels {

/// Scores less the largest of their row, none below -2: the thresholds of sparsemax and of half the
/// scores of entmax15 are at least -1, so that what is lower has the weight 0 wherever it is, and
/// sums stay finite.
inline Tensor below_largest(const Tensor& scores) {
  return (scores - scores.amax(-1, true)).clamp_min(-2);
}

/// Rows from the largest on, with the numbers 1, 2, ... of their places.
struct Sorted {
  Tensor values, places;

  explicit Sorted(const Tensor& rows)
      : values(std::get<0>(at::sort(rows, -1, /*descending=*/true))),
        places(at::arange(1, rows.size(-1) + 1, rows.options())) {}

  /// Of `candidates`, one for each number of places that could have a weight above 0, the one for
  /// as many places as `inside` [..., keys] bool is true for: [..., 1].
  static Tensor chosen(const Tensor& candidates, const Tensor& inside) {
    // NaN is inside nothing, and stays NaN whichever is chosen.
    return candidates.gather(-1, (inside.sum(-1, true) - 1).clamp_min(0));
  }
};

}  // namespace heed::kernels
