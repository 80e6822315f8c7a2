#include "kernels/rows/loss.h"

#include <cmath>

#include "kernels/rows/loops.h"

namespace heed::kernels {
RowLoss loss_row(float* row, int64_t vocab, int64_t gold, float smoothing, bool gradient) {
  const float most = largest(row, vocab), answer = row[gold];
  const float total = smoothing > 0 ? sum(row, vocab) : 0;
  const float partition = exponentials(row, vocab, most);
  // Differences first: a large logit would swallow the logarithm.
  const double log_partition = std::log(static_cast<double>(partition));
  RowLoss loss;
  loss.nll = log_partition - (static_cast<double>(answer) - most);
  const double even =
      log_partition - (static_cast<double>(total) / static_cast<double>(vocab) - most);
  loss.smoothed = (1 - smoothing) * loss.nll + (smoothing > 0 ? smoothing * even : 0);
  if (gradient) {
    scale_and_shift(row, vocab, 1 / partition, smoothing / static_cast<float>(vocab));
    row[gold] -= 1 - smoothing;
  }
  return loss;
}

RowLoss loss_row(uint16_t* row, int64_t vocab, int64_t gold, float smoothing, bool gradient,
                 float* scratch) {
  widen(row, scratch, vocab);
  const RowLoss loss = loss_row(scratch, vocab, gold, smoothing, gradient);
  if (gradient) narrow(scratch, row, vocab);
  return loss;
}

}  // namespace heed::kernels
