#include "kernels/rows/loops.h"

#include "kernels/rows/vector.h"

namespace heed::kernels {

HEED_VECTORISED float largest(const float* x, int64_t count) {
  float most = x[0];
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < count; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

HEED_VECTORISED float sum(const float* x, int64_t count) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) total += x[i];
  return total;
}

HEED_VECTORISED float exponentials(float* x, int64_t count, float most) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < count; ++i) {
    x[i] = exponential(x[i] - most);
    total += x[i];
  }
  return total;
}

HEED_VECTORISED void scale_and_shift(float* x, int64_t count, float factor, float shift) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) x[i] = x[i] * factor - shift;
}

HEED_VECTORISED void widen(const uint16_t* from, float* to, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = widened(from[i]);
}

HEED_VECTORISED void narrow(const float* from, uint16_t* to, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = narrowed(from[i]);
}

}  // namespace heed::kernels
