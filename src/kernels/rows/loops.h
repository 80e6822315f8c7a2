// Loops over the numbers of one row, that several kernels need.
#pragma once

#include <cstdint>

namespace heed::kernels {

/// Of at least one number; a NaN among them may be passed over.
float largest(const float* x, int64_t count);
/// The largest |x|, 0 of nothing; NaN where one is NaN.
float largest_magnitude(const float* x, int64_t count);
float sum(const float* x, int64_t count);
double sum_of_squares(const float* x, int64_t count);
/// x becomes e^(x - most); returns their sum.
float exponentials(float* x, int64_t count, float most);
float dot(const float* x, const float* y, int64_t count);
void scale_and_shift(float* x, int64_t count, float factor, float shift);  // factor x - shift

/// Between fp32 and bf16.
void widen(const uint16_t* from, float* to, int64_t count);
void narrow(const float* from, uint16_t* to, int64_t count);

}  // namespace heed::kernels
