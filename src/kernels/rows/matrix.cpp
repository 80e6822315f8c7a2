#include "kernels/rows/matrix.h"

#include <cstring>

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

// The number of rows that are summed before their sum is added to the others: rounding errors stay
// small.
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

// A block of C is held in registers over the whole inner dimension: 6 x 2 of them hide the latency
// of each multiply-add, and leave some of AVX2's sixteen for the factors.
constexpr int64_t kBlockRows = 6, kBlockVectors = 2;

template <int64_t width, int64_t rows, int64_t vectors>
HEED_LOOP void block(const SmallProduct& p, int64_t row, int64_t column) {
  using Lanes = typename Vectors<width>::Floats;
  Lanes sums[rows][vectors] = {};
  const float* a = p.a.data + row * p.a.row;
  const float* b = p.b.data + column;
  for (int64_t k = 0; k < p.inner; ++k, a += p.a.column, b += p.b.row) {
    Lanes right[vectors];
    for (int64_t j = 0; j < vectors; ++j) load(right[j], b + j * width);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < vectors; ++j) sums[i][j] += a[i * p.a.row] * right[j];
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < vectors; ++j) {
      float* c = p.c.data + (row + i) * p.c.row + column + j * width;
      if (p.add) {
        Lanes before;
        load(before, c);
        sums[i][j] += before;
      }
      std::memcpy(c, &sums[i][j], sizeof(Lanes));
    }
}

template <int64_t width, int64_t rows>
HEED_LOOP void band(const SmallProduct& p, int64_t row) {
  constexpr int64_t kWide = kBlockVectors * width;
  int64_t column = 0;
  for (; column + kWide <= p.width; column += kWide)
    block<width, rows, kBlockVectors>(p, row, column);
  if (column < p.width) block<width, rows, 1>(p, row, column);
}

template <int64_t width>
HEED_LOOP void bands(const SmallProduct& product) {
  int64_t row = 0;
  for (; row + kBlockRows <= product.rows; row += kBlockRows) band<width, kBlockRows>(product, row);
  for (; row + 2 <= product.rows; row += 2) band<width, 2>(product, row);
  if (row < product.rows) band<width, 1>(product, row);
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

void multiply(const SmallProduct& product) {
  fastest<bands<4>, bands<8>, bands<16>>(product);
}

}  // namespace heed::kernels
