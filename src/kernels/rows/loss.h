// A row of logits, or two rows for one token, become their loss and its gradient, in place.
#pragma once

#include <cstdint>

namespace heed::kernels {

struct RowLoss {
  double smoothed = 0;  // - sum over pieces of q log p, with q as in train/loss.h
  double nll = 0;       // - log p(gold)
};

/// `row` [vocab] holds logits and then, where `gradient`, p - q (otherwise nothing of use). A row
/// with a NaN or +inf gives a NaN loss.
RowLoss loss_row(float* row, int64_t vocab, int64_t gold, float smoothing, bool gradient);

/// loss_row() for bf16 numbers as 16 bits; `scratch` [vocab] is for the work in fp32.
RowLoss loss_row(uint16_t* row, int64_t vocab, int64_t gold, float smoothing, bool gradient,
                 float* scratch);

/// The weights of the terms of a loss of two predictions p and p' of the same piece:
///   first H(q, p) + second H(q, p') + forward KL(p || p') + backward KL(p' || p)
/// with H the label-smoothed cross entropy of above. The gradient flows into both.
struct PairWeights {
  double first = 0.5, second = 0.5, forward = 0, backward = 0;
};

/// `one` and `other` [vocab] hold the logits of p and p' and then, where `gradient`, the gradient.
/// `scratch` [vocab]. `smoothed` is the whole sum, `nll` that of the first two terms without
/// smoothing.
RowLoss pair_loss_rows(float* one, float* other, int64_t vocab, int64_t gold, float smoothing,
                       const PairWeights& weights, bool gradient, float* scratch);

/// pair_loss_rows() for bf16 numbers as 16 bits; `scratch` [3 vocab].
RowLoss pair_loss_rows(uint16_t* one, uint16_t* other, int64_t vocab, int64_t gold, float smoothing,
                       const PairWeights& weights, bool gradient, float* scratch);

}  // namespace heed::kernels
