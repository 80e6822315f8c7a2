#include "kernels/rows/layer_norm.h"

#include <cmath>

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/numbers.h"

namespace heed::kernels {
namespace {

HEED_LOOP Moments moments(const float* x, int64_t width, float eps) {
  const float mean = sum_of(x, width) / static_cast<float>(width);
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t j = 0; j < width; ++j) squares += (x[j] - mean) * (x[j] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<float>(width) + eps)};
}

template <class T>
HEED_LOOP void forward(const float* x, const Moments& moments, const float* __restrict weight,
                       const float* __restrict bias, T* y, int64_t width) {
  const float mean = moments.mean, scale = moments.scale;
#pragma omp simd
  for (int64_t j = 0; j < width; ++j) put(y[j], (x[j] - mean) * scale * weight[j] + bias[j]);
}

template <class T>
HEED_LOOP void backward(const float* __restrict x, const Moments& moments,
                        const float* __restrict weight, const T* __restrict outer,
                        float* __restrict inner, float* __restrict to_weight,
                        float* __restrict to_bias, int64_t width) {
  const float mean = moments.mean, scale = moments.scale;
  float sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
  for (int64_t j = 0; j < width; ++j) {
    const float from = number(outer[j]), normal = (x[j] - mean) * scale;
    to_weight[j] += from * normal;
    to_bias[j] += from;
    sum += from * weight[j];
    product += from * weight[j] * normal;
  }
  sum /= static_cast<float>(width);
  product /= static_cast<float>(width);
#pragma omp simd
  for (int64_t j = 0; j < width; ++j)
    inner[j] = scale * (number(outer[j]) * weight[j] - sum - (x[j] - mean) * scale * product);
}

}  // namespace

Moments moments_of(const float* x, int64_t width, float eps) {
  return fastest<moments>(x, width, eps);
}

template <class T>
void normalise_row(const float* x, const Moments& moments, const float* weight, const float* bias,
                   T* y, int64_t width) {
  fastest<forward<T>>(x, moments, weight, bias, y, width);
}

template <class T>
void normalise_row_gradient(const float* x, const Moments& moments, const float* weight,
                            const T* outer, float* inner, float* to_weight, float* to_bias,
                            int64_t width) {
  fastest<backward<T>>(x, moments, weight, outer, inner, to_weight, to_bias, width);
}

template void normalise_row(const float*, const Moments&, const float*, const float*, float*,
                            int64_t);
template void normalise_row(const float*, const Moments&, const float*, const float*, uint16_t*,
                            int64_t);
template void normalise_row_gradient(const float*, const Moments&, const float*, const float*,
                                     float*, float*, float*, int64_t);
template void normalise_row_gradient(const float*, const Moments&, const float*, const uint16_t*,
                                     float*, float*, float*, int64_t);

void normalise_rows(const float* x, int64_t rows, int64_t width, const float* gamma,
                    const float* beta, float epsilon, float* y) {
  for (int64_t r = 0; r < rows; ++r)
    normalise_row(x + r * width, moments_of(x + r * width, width, epsilon), gamma, beta,
                  y + r * width, width);
}

}  // namespace heed::kernels
