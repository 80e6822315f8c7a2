#include "kernels/rows/loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/numbers.h"

namespace heed::kernels {
namespace {

HEED_LOOP float exponentiate(float* x, int64_t count, float most) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) {
    x[i] = exponential(x[i] - most);
    total += x[i];
  }
  return total;
}

HEED_LOOP void scale_all(float* x, int64_t count, float factor, float shift) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] = x[i] * factor - shift;
}

HEED_LOOP float multiply_and_add(const float* x, const float* y, int64_t count) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += x[i] * y[i];
  return total;
}

HEED_LOOP void widen_all(const uint16_t* from, float* to, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = widened(from[i]);
}

HEED_LOOP void narrow_all(const float* from, uint16_t* to, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = narrowed(from[i]);
}

HEED_LOOP double add_squares(const float* x, int64_t count) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += static_cast<double>(x[i]) * x[i];
  return total;
}

HEED_LOOP float sum_of_exponentials(const float* x, int64_t count, float most) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += exponential(x[i] - most);
  return total;
}

HEED_LOOP void add_exponentials(const float* x, float most, float log_sum, int64_t count,
                                float* to) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] += exponential((x[i] - most) - log_sum);
}

HEED_LOOP void tangents_of(float* x, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] = hyperbolic_tangent(x[i]);
}

HEED_LOOP void dot_all(const float* x, const float* rows, int64_t count, int64_t width, float* to) {
  for (int64_t i = 0; i < count; ++i, rows += width) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < width; ++j) sum += x[j] * rows[j];
    to[i] = sum;
  }
}

HEED_LOOP void silu_all(float* x, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] *= logistic(x[i]);
}

HEED_LOOP void add_gated_row(const float* gates, const float* x, const float* y, int64_t width,
                             float* to) {
#pragma omp simd
  for (int64_t j = 0; j < width; ++j)
    to[j] += logistic(gates[j]) * x[j] + logistic(gates[width + j]) * y[j];
}

HEED_LOOP void add_scaled(const float* x, float scale, const float* y, int64_t count, float* to) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = scale * x[i] + y[i];
}

}  // namespace

float largest(const float* x, int64_t count) {
  return fastest<largest_of>(x, count);
}

float largest_magnitude(const float* x, int64_t count) {
  return fastest<largest_magnitude_of>(x, count);
}

float sum(const float* x, int64_t count) {
  return fastest<sum_of>(x, count);
}

double sum_of_squares(const float* x, int64_t count) {
  return fastest<add_squares>(x, count);
}

float exponentials(float* x, int64_t count, float most) {
  return fastest<exponentiate>(x, count, most);
}

float dot(const float* x, const float* y, int64_t count) {
  return fastest<multiply_and_add>(x, y, count);
}

void scale_and_shift(float* x, int64_t count, float factor, float shift) {
  fastest<scale_all>(x, count, factor, shift);
}

void widen(const uint16_t* from, float* to, int64_t count) {
  fastest<widen_all>(from, to, count);
}

void narrow(const float* from, uint16_t* to, int64_t count) {
  fastest<narrow_all>(from, to, count);
}

void tangents(float* x, int64_t count) {
  fastest<tangents_of>(x, count);
}

void silu(float* x, int64_t count) {
  fastest<silu_all>(x, count);
}

void gelu(float* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = 0.5F * x[i] * (1 + std::erf(x[i] * 0.70710678F));
}

void scale_and_add(const float* x, float scale, const float* y, int64_t count, float* to) {
  if (y) return fastest<add_scaled>(x, scale, y, count, to);
  for (int64_t i = 0; i < count; ++i) to[i] = scale * x[i];
}

void add_gated(const float* gates, const float* x, const float* y, int64_t width, float* to) {
  fastest<add_gated_row>(gates, x, y, width, to);
}

void dot_rows(const float* x, const float* rows, int64_t count, int64_t width, float* to) {
  fastest<dot_all>(x, rows, count, width, to);
}

void mix_rows(const float* weights, const float* rows, int64_t count, int64_t width, float* to) {
  fastest<mix>(weights, rows, count, width, to);
}

ScoreSum score_sum_of(const float* scores, int64_t count) {
  // A block may hold nothing but scores of -inf, of pieces that never come.
  const float most = std::max(largest(scores, count), std::numeric_limits<float>::lowest());
  return {most, fastest<sum_of_exponentials>(scores, count, most)};
}

Partition partition_of(const float* scores, int64_t count) {
  const ScoreSum whole = score_sum_of(scores, count);
  return partition_of(&whole, 1, 1);
}

Partition partition_of(const ScoreSum* blocks, int64_t count, int64_t stride) {
  float most = blocks->most, sum = 0;
  for (int64_t i = 1; i < count; ++i) most = std::max(most, blocks[i * stride].most);
  for (int64_t i = 0; i < count; ++i)
    sum += blocks[i * stride].sum * exponential(blocks[i * stride].most - most);
  return {most, std::log(sum)};
}

void add_probabilities(const float* scores, const Partition& partition, int64_t count, float* to) {
  fastest<add_exponentials>(scores, partition.most, partition.log_sum, count, to);
}

}  // namespace heed::kernels
