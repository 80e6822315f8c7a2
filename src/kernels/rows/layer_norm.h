// Layer norm of one row, and its gradient. T is float, or uint16_t for bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

struct Moments {
  float mean = 0, scale = 0;  // of a row; 1 / sqrt(variance + eps)
};

Moments moments_of(const float* x, int64_t width, float eps);

/// y = (x - mean) scale weight + bias; y may be x.
template <class T>
void normalise_row(const float* x, const Moments& moments, const float* weight, const float* bias,
                   T* y, int64_t width);

/// Layer norm of each row of x [rows, width] into y, which may be x.
void normalise_rows(const float* x, int64_t rows, int64_t width, const float* gamma,
                    const float* beta, float epsilon, float* y);

/// From the gradient `outer` of y, writes that of x to `inner`, and adds those of weight and bias
/// to `to_weight` and `to_bias`.
template <class T>
void normalise_row_gradient(const float* x, const Moments& moments, const float* weight,
                            const T* outer, float* inner, float* to_weight, float* to_bias,
                            int64_t width);

}  // namespace heed::kernels
