// The loss of given logits in LibTorch's operations, on any device (train/loss.h has the equation).
#pragma once

#include "kernels/rows/loss.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// Sums over tokens; on a GPU the host does not wait for them.
struct LogitLossSum {
  Tensor smoothed, nll;  // [] double

  /// Both 0.
  static LogitLossSum on(const at::Device& device);
};

/// Adds the label-smoothed cross entropy of logits [rows, vocab] with gold [rows] int64 to `sum`,
/// without an autograd graph. Where `gradient` [rows, vocab] is defined it receives p - q; it may
/// share its memory with `logits`. Where `weights` [rows] float are defined each row's loss is
/// multiplied by its own.
void add_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                    const Tensor& gradient, LogitLossSum& sum, const Tensor& weights = {});

/// The loss of two predictions of each piece (rows/loss.h), with a graph for `smoothed`: logits
/// [2 rows, vocab], those of the second predictions behind those of the first; gold [rows].
LogitLossSum pair_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                             const PairWeights& pair);

}  // namespace heed::kernels
