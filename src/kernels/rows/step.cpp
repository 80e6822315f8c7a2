#include "kernels/rows/step.h"

#include <cmath>
#include <limits>

#include "kernels/rows/loops.h"
#include "kernels/rows/vector.h"

namespace heed::kernels {
namespace {

HEED_VECTORISED void normalise(const float* x, int64_t width, const float* gamma, const float* beta,
                               float epsilon, float* y) {
  const auto count = static_cast<float>(width);
  float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < width; ++i) sum += x[i];
  const float mean = sum / count;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const float factor = 1 / std::sqrt(squares / count + epsilon);
#pragma omp simd
  for (int64_t i = 0; i < width; ++i) y[i] = (x[i] - mean) * factor * gamma[i] + beta[i];
}

HEED_VECTORISED float sum_of_exponentials(const float* x, int64_t count, float most) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += exponential(x[i] - most);
  return total;
}

HEED_VECTORISED void silu_all(float* x, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] *= logistic(x[i]);
}

HEED_VECTORISED void add_scaled(const float* x, float scale, const float* y, int64_t count,
                                float* to) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = scale * x[i] + y[i];
}

}  // namespace

void normalise_rows(const float* x, int64_t rows, int64_t width, const float* gamma,
                    const float* beta, float epsilon, float* y) {
  for (int64_t r = 0; r < rows; ++r)
    normalise(x + r * width, width, gamma, beta, epsilon, y + r * width);
}

void silu(float* x, int64_t count) {
  silu_all(x, count);
}

void gelu(float* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = 0.5F * x[i] * (1 + std::erf(x[i] * 0.70710678F));
}

void scale_and_add(const float* x, float scale, const float* y, int64_t count, float* to) {
  if (y) return add_scaled(x, scale, y, count, to);
  for (int64_t i = 0; i < count; ++i) to[i] = scale * x[i];
}

Partition partition_of(const float* scores, int64_t count) {
  Partition out{.most = largest(scores, count)};
  out.log_sum = std::log(sum_of_exponentials(scores, count, out.most));
  // A NaN need not be the largest, and its exponential is bounded: the plain sum tells.
  if (!std::isfinite(sum(scores, count))) out.log_sum = std::numeric_limits<float>::quiet_NaN();
  return out;
}

}  // namespace heed::kernels
