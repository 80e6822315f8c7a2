#include "kernels/rows/matrix.h"

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

template <class From, class To>
HEED_LOOP void transpose(const From* __restrict from, To* __restrict to, int64_t rows,
                         int64_t columns, int64_t begin, int64_t end) {
  constexpr int64_t kBlock = kTransposeBlock;
  float block[kBlock][kBlock];
  int64_t i = begin;
  for (; i + kBlock <= end; i += kBlock) {
    int64_t j = 0;
    for (; j + kBlock <= columns; j += kBlock) {
      for (int64_t a = 0; a < kBlock; ++a)
        for (int64_t b = 0; b < kBlock; ++b) block[b][a] = number(from[(i + a) * columns + j + b]);
      for (int64_t b = 0; b < kBlock; ++b)
        for (int64_t a = 0; a < kBlock; ++a) put(to[(j + b) * rows + i + a], block[b][a]);
    }
    for (; j < columns; ++j)
      for (int64_t a = 0; a < kBlock; ++a)
        put(to[j * rows + i + a], number(from[(i + a) * columns + j]));
  }
  for (; i < end; ++i)
    for (int64_t j = 0; j < columns; ++j) put(to[j * rows + i], number(from[i * columns + j]));
}

// Rows of a sum that is then added to the others: errors stay small.
constexpr int64_t kSummed = 64;

template <class T>
HEED_LOOP void sum(const T* __restrict x, int64_t rows, int64_t stride, int64_t columns,
                   float* __restrict total) {
  for (int64_t j = 0; j < columns; ++j) total[j] = 0;
  for (int64_t begin = 0; begin < rows; begin += kSummed) {
    const int64_t end = begin + kSummed < rows ? begin + kSummed : rows;
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

template <class From, class To>
void transpose_rows(const From* from, To* to, int64_t rows, int64_t columns, int64_t begin,
                    int64_t end) {
  fastest<transpose<From, To>>(from, to, rows, columns, begin, end);
}

template void transpose_rows(const float*, float*, int64_t, int64_t, int64_t, int64_t);
template void transpose_rows(const float*, uint16_t*, int64_t, int64_t, int64_t, int64_t);
template void transpose_rows(const uint16_t*, float*, int64_t, int64_t, int64_t, int64_t);
template void transpose_rows(const uint16_t*, uint16_t*, int64_t, int64_t, int64_t, int64_t);

template <class T>
void sum_strip(const T* x, int64_t rows, int64_t stride, int64_t columns, float* total) {
  fastest<sum<T>>(x, rows, stride, columns, total);
}

template void sum_strip(const float*, int64_t, int64_t, int64_t, float*);
template void sum_strip(const uint16_t*, int64_t, int64_t, int64_t, float*);

}  // namespace heed::kernels
