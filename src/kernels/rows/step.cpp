#include "kernels/rows/step.h"

#include <cmath>

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/layer_norm.h"
#include "kernels/rows/loops.h"

namespace heed::kernels {
namespace {

HEED_LOOP float sum_of_exponentials(const float* x, int64_t count, float most) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += exponential(x[i] - most);
  return total;
}

HEED_LOOP void silu_all(float* x, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] *= logistic(x[i]);
}

HEED_LOOP void add_scaled(const float* x, float scale, const float* y, int64_t count, float* to) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = scale * x[i] + y[i];
}

}  // namespace

void normalise_rows(const float* x, int64_t rows, int64_t width, const float* gamma,
                    const float* beta, float epsilon, float* y) {
  for (int64_t r = 0; r < rows; ++r)
    normalise_row(x + r * width, moments_of(x + r * width, width, epsilon), gamma, beta,
                  y + r * width, width);
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

Partition partition_of(const float* scores, int64_t count) {
  Partition out{.most = largest(scores, count)};
  out.log_sum = std::log(fastest<sum_of_exponentials>(scores, count, out.most));
  return out;
}

}  // namespace heed::kernels
