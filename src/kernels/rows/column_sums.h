// Sums over the rows of a matrix, a strip of columns at a time. T is float, or uint16_t for bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

inline constexpr int64_t kStrip = 128;  // columns of one sum, neighbours in memory

/// total [columns] = the sum of x [rows, columns], whose rows begin `stride` numbers apart. At most
/// kStrip columns.
template <class T>
void sum_strip(const T* x, int64_t rows, int64_t stride, int64_t columns, float* total);

}  // namespace heed::kernels
