#include "kernels/rows/column_sums.h"

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

constexpr int64_t kBlock = 64;  // rows of a sum that is then added to the others: errors stay small

template <class T>
HEED_LOOP void sum(const T* __restrict x, int64_t rows, int64_t stride, int64_t columns,
                   float* __restrict total) {
  for (int64_t j = 0; j < columns; ++j) total[j] = 0;
  for (int64_t begin = 0; begin < rows; begin += kBlock) {
    const int64_t end = begin + kBlock < rows ? begin + kBlock : rows;
    float block[kStrip] = {};
    for (int64_t i = begin; i < end; ++i) {
      const T* row = x + i * stride;
#pragma omp simd
      for (int64_t j = 0; j < columns; ++j) block[j] += number(row[j]);
    }
    for (int64_t j = 0; j < columns; ++j) total[j] += block[j];
  }
}

}  // namespace

template <class T>
void sum_strip(const T* x, int64_t rows, int64_t stride, int64_t columns, float* total) {
  fastest<sum<T>>(x, rows, stride, columns, total);
}

template void sum_strip(const float*, int64_t, int64_t, int64_t, float*);
template void sum_strip(const uint16_t*, int64_t, int64_t, int64_t, float*);

}  // namespace heed::kernels
