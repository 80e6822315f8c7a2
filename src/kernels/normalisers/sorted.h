// The first steps of normalisers that have a threshold.
#pragma once

#include <ATen/ATen.h>

#include <tuple>

#include "kernels/tensor.h"

namespace heed::kernels {

/// Scores less the largest of their row, none below -2: the thresholds of sparsemax and of half the
/// scores of entmax15 are at least -1, so that a lower score has the weight 0 however low it is,
/// and sums stay finite.
inline Tensor below_largest(const Tensor& scores) {
  return (scores - scores.amax(-1, true)).clamp_min(-2);
}

/// Rows sorted from the largest number on, with their ranks 1, 2, ....
struct Sorted {
  Tensor values, ranks;

  explicit Sorted(const Tensor& rows)
      : values(std::get<0>(at::sort(rows, -1, /*descending=*/true))),
        ranks(at::arange(1, rows.size(-1) + 1, rows.options())) {}

  /// `candidates` [..., keys] has one threshold for each number of keys with a weight above 0.
  /// Returns the one for as many keys as `inside` [..., keys] bool is true for: [..., 1].
  static Tensor chosen(const Tensor& candidates, const Tensor& inside) {
    // No comparison with NaN is true, and a NaN stays NaN whichever candidate is chosen.
    return candidates.gather(-1, (inside.sum(-1, true) - 1).clamp_min(0));
  }
};

}  // namespace heed::kernels
