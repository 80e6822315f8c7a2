#include "kernels/rows/loops.h"

#include "kernels/rows/inner_loops.h"

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

}  // namespace heed::kernels
