#include "kernels/rows/loss.h"

#include <cmath>

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/loops.h"

namespace heed::kernels {
namespace {

/// The sums over a row of e^(logit - most), and the loss that follows from them.
struct RowExponentials {
  RowLoss loss;
  double most = 0, log_partition = 0;  // log sum e^logit = most + log_partition
  float partition = 0;
};

RowExponentials exponentials_of(float* row, int64_t vocab, int64_t gold, float smoothing) {
  const float most = largest(row, vocab), answer = row[gold];
  const float total = smoothing > 0 ? sum(row, vocab) : 0;
  RowExponentials out;
  out.most = most;
  out.partition = exponentials(row, vocab, most);
  // Differences first: a large logit would swallow the logarithm.
  out.log_partition = std::log(static_cast<double>(out.partition));
  out.loss.nll = out.log_partition - (static_cast<double>(answer) - most);
  const double even =
      out.log_partition - (static_cast<double>(total) / static_cast<double>(vocab) - most);
  out.loss.smoothed = (1 - smoothing) * out.loss.nll + (smoothing > 0 ? smoothing * even : 0);
  return out;
}

HEED_LOOP void subtract_all(const float* x, const float* y, float* difference, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) difference[i] = x[i] - y[i];
}

/// The factors of a gradient: a probability p of one side becomes p (own + slope difference) -
/// others p' - shift.
struct Gradient {
  float own = 0, slope = 0, others = 0, shift = 0;
};

HEED_LOOP void to_pair_gradient(float* one, float* other, const float* difference, int64_t count,
                                float scale_one, float scale_other, Gradient ones,
                                Gradient others) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const float p = one[i] * scale_one, q = other[i] * scale_other;
    one[i] = p * (ones.own + ones.slope * difference[i]) - ones.others * q - ones.shift;
    other[i] = q * (others.own + others.slope * difference[i]) - others.others * p - others.shift;
  }
}

}  // namespace

RowLoss loss_row(float* row, int64_t vocab, int64_t gold, float smoothing, bool gradient) {
  const RowExponentials exponentials = exponentials_of(row, vocab, gold, smoothing);
  if (gradient) {
    scale_and_shift(row, vocab, 1 / exponentials.partition, smoothing / static_cast<float>(vocab));
    row[gold] -= 1 - smoothing;
  }
  return exponentials.loss;
}

RowLoss loss_row(uint16_t* row, int64_t vocab, int64_t gold, float smoothing, bool gradient,
                 float* scratch) {
  widen(row, scratch, vocab);
  const RowLoss loss = loss_row(scratch, vocab, gold, smoothing, gradient);
  if (gradient) narrow(scratch, row, vocab);
  return loss;
}

// With d = log p - log p' (a row), KL(p || p') = sum p d and KL(p' || p) = - sum p' d. By the
// logits of p:  d KL(p || p') = p (d - KL(p || p')),  d KL(p' || p) = p - p'.
RowLoss pair_loss_rows(float* one, float* other, int64_t vocab, int64_t gold, float smoothing,
                       const PairWeights& weights, bool gradient, float* scratch) {
  fastest<subtract_all>(one, other, scratch, vocab);  // d + shift
  const RowExponentials p = exponentials_of(one, vocab, gold, smoothing);
  const RowExponentials q = exponentials_of(other, vocab, gold, smoothing);
  const double shift = (p.most - q.most) + (p.log_partition - q.log_partition);
  const double mean_p = dot(one, scratch, vocab) / static_cast<double>(p.partition);
  const double mean_q = dot(other, scratch, vocab) / static_cast<double>(q.partition);
  const double forward = mean_p - shift, backward = shift - mean_q;
  RowLoss loss;
  loss.nll = weights.first * p.loss.nll + weights.second * q.loss.nll;
  loss.smoothed = weights.first * p.loss.smoothed + weights.second * q.loss.smoothed +
                  weights.forward * forward + weights.backward * backward;
  if (!gradient) return loss;
  const double even = static_cast<double>(smoothing) / static_cast<double>(vocab);
  const auto number = [](double value) { return static_cast<float>(value); };
  const Gradient ones{number(weights.first + weights.backward - weights.forward * mean_p),
                      number(weights.forward), number(weights.backward),
                      number(weights.first * even)};
  const Gradient others{number(weights.second + weights.forward + weights.backward * mean_q),
                        number(-weights.backward), number(weights.forward),
                        number(weights.second * even)};
  fastest<to_pair_gradient>(one, other, static_cast<const float*>(scratch), vocab, 1 / p.partition,
                            1 / q.partition, ones, others);
  one[gold] -= number(weights.first * (1 - smoothing));
  other[gold] -= number(weights.second * (1 - smoothing));
  return loss;
}

RowLoss pair_loss_rows(uint16_t* one, uint16_t* other, int64_t vocab, int64_t gold, float smoothing,
                       const PairWeights& weights, bool gradient, float* scratch) {
  float *first = scratch + vocab, *second = scratch + 2 * vocab;
  widen(one, first, vocab);
  widen(other, second, vocab);
  const RowLoss loss =
      pair_loss_rows(first, second, vocab, gold, smoothing, weights, gradient, scratch);
  if (gradient) {
    narrow(first, one, vocab);
    narrow(second, other, vocab);
  }
  return loss;
}

}  // namespace heed::kernels
