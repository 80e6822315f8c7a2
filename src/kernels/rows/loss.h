// A row of logits becomes its loss and the gradient of that loss, in place.
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

/// The same for bf16 numbers as 16 bits; `scratch` [vocab] is for the work in fp32.
RowLoss loss_row(uint16_t* row, int64_t vocab, int64_t gold, float smoothing, bool gradient,
                 float* scratch);

}  // namespace heed::kernels
