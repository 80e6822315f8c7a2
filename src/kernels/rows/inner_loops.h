// Loops over numbers of one row, of which the other loops are made.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {

/// The largest of at least one number; a NaN among them may be passed over.
HEED_LOOP float largest_of(const float* x, int64_t count) {
  float most = x[0];
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < count; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

HEED_LOOP float sum_of(const float* x, int64_t count) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += x[i];
  return total;
}

// The score of a key that takes no part in a softmax, and the limit at or below which a score
// counts as such.
inline constexpr float kHidden = -1e30F, kAlmostHidden = -1e29F;

/// The largest |x|, 0 for no numbers. As bits, numbers lie in their order and NaN above infinity: a
/// NaN is never passed over.
HEED_LOOP float largest_magnitude_of(const float* x, int64_t count) {
  int32_t most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < count; ++i) {
    const int32_t magnitude = std::bit_cast<int32_t>(x[i]) & 0x7FFFFFFF;
    most = magnitude > most ? magnitude : most;
  }
  return std::bit_cast<float>(most);
}

/// x becomes its softmax. Scores that are kHidden become exactly 0, and all become 0 where all are
/// hidden; where one is NaN, all become NaN.
HEED_LOOP void softmax(float* x, int64_t count) {
  float most = kHidden, total = 0;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < count; ++i) most = most > x[i] ? most : x[i];
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) {
    const float weight = x[i] <= kAlmostHidden ? 0 : exponential(x[i] - most);
    x[i] = weight;
    total += weight;
  }
  const float share = total == 0 ? 0 : 1 / total;
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] *= share;
}

/// to = sum over i of weights(i) rows(i), of rows [count, width].
HEED_LOOP void mix(const float* weights, const float* __restrict rows, int64_t count, int64_t width,
                   float* __restrict to) {
  for (int64_t j = 0; j < width; ++j) to[j] = 0;
  for (int64_t i = 0; i < count; ++i, rows += width) {
    const float weight = weights[i];
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) to[j] += weight * rows[j];
  }
}

}  // namespace heed::kernels
