#include "kernels/rows/matrix.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

// Floats are moved whole: through an array of numbers GCC would take every vector apart.
template <int64_t width>
HEED_LOOP void read_row(typename Vectors<width>::Floats& row, const float* from) {
  load(row, from);
}

template <int64_t width>
HEED_LOOP void read_row(typename Vectors<width>::Floats& row, const uint16_t* from) {
  float numbers[width];
  for (int64_t k = 0; k < width; ++k) numbers[k] = number(from[k]);
  load(row, numbers);
}

template <int64_t width>
HEED_LOOP void write_row(const typename Vectors<width>::Floats& row, float* to) {
  std::memcpy(to, &row, sizeof row);
}

template <int64_t width>
HEED_LOOP void write_row(const typename Vectors<width>::Floats& row, uint16_t* to) {
  float numbers[width];
  std::memcpy(numbers, &row, sizeof numbers);
  for (int64_t k = 0; k < width; ++k) put(to[k], numbers[k]);
}

/// Two rows, the second `s` rows below the first: the off-diagonal squares of s x s change places.
template <int64_t width, int s, int... k>
HEED_LOOP void swap_squares(typename Vectors<width>::Floats& x, typename Vectors<width>::Floats& y,
                            std::integer_sequence<int, k...>) {
  const auto upper = __builtin_shufflevector(x, y, ((k & s) ? int{width} + k - s : k)...);
  y = __builtin_shufflevector(x, y, ((k & s) ? int{width} + k : k + s)...);
  x = upper;
}

/// to = x(first), y(first), x(first + 1), y(first + 1) of each four numbers.
template <int64_t width, int first, int... k>
HEED_LOOP void interleave(const typename Vectors<width>::Floats& x,
                          const typename Vectors<width>::Floats& y,
                          typename Vectors<width>::Floats& to, std::integer_sequence<int, k...>) {
  to = __builtin_shufflevector(x, y, (k / 4 * 4 + first + k % 4 / 2 + k % 2 * int{width})...);
}

/// to = x(first), x(first + 1), y(first), y(first + 1) of each four numbers.
template <int64_t width, int first, int... k>
HEED_LOOP void join(const typename Vectors<width>::Floats& x,
                    const typename Vectors<width>::Floats& y, typename Vectors<width>::Floats& to,
                    std::integer_sequence<int, k...>) {
  to = __builtin_shufflevector(x, y, (k / 4 * 4 + first + k % 2 + k % 4 / 2 * int{width})...);
}

/// Transposes each square of 4 x 4 of four rows, by shuffles within 16 bytes, which are the
/// fastest.
template <int64_t width, class All>
HEED_LOOP void transpose_squares(typename Vectors<width>::Floats* rows, const All& all) {
  typename Vectors<width>::Floats a, b, c, d;
  interleave<width, 0>(rows[0], rows[1], a, all);
  interleave<width, 0>(rows[2], rows[3], b, all);
  interleave<width, 2>(rows[0], rows[1], c, all);
  interleave<width, 2>(rows[2], rows[3], d, all);
  join<width, 0>(a, b, rows[0], all);
  join<width, 2>(a, b, rows[1], all);
  join<width, 0>(c, d, rows[2], all);
  join<width, 2>(c, d, rows[3], all);
}

/// One square of width x width numbers, whose rows are registers.
template <int64_t width, class From, class To>
HEED_LOOP void transpose_square(const From* from, int64_t columns, To* to, int64_t rows) {
  typename Vectors<width>::Floats square[width];
  constexpr std::make_integer_sequence<int, width> kAll;
  // A loop that is not unrolled would keep the square in memory.
#pragma GCC unroll 16
  for (int64_t i = 0; i < width; ++i) read_row<width>(square[i], from + i * columns);
  if constexpr (width >= 16)
#pragma GCC unroll 16
    for (int64_t i = 0; i < 8; ++i) swap_squares<width, 8>(square[i], square[i + 8], kAll);
  if constexpr (width >= 8)
#pragma GCC unroll 16
    for (int64_t i = 0; i < width; ++i)
      if ((i & 4) == 0) swap_squares<width, 4>(square[i], square[i + 4], kAll);
#pragma GCC unroll 16
  for (int64_t i = 0; i < width; i += 4) transpose_squares<width>(square + i, kAll);
#pragma GCC unroll 16
  for (int64_t i = 0; i < width; ++i) write_row<width>(square[i], to + i * rows);
}

// The rows that are turned together, if they fit into the nearest cache: as many numbers are then
// written one after the other.
constexpr int64_t kTallest = 64, kTogether = 16384;

template <int64_t width, class From, class To>
HEED_LOOP void transpose(const From* __restrict from, To* __restrict to, int64_t rows,
                         int64_t columns, int64_t begin, int64_t end) {
  const int64_t fitting = kTogether / (columns > 0 ? columns : 1) / kTransposeBlock;
  const int64_t tall = std::clamp(fitting * kTransposeBlock, kTransposeBlock, kTallest);
  const int64_t whole = begin + (end - begin) / width * width;
  for (int64_t first = begin; first < whole; first += tall) {
    const int64_t last = std::min(first + tall, whole);
    int64_t j = 0;
    for (; j + width <= columns; j += width)
      for (int64_t i = first; i < last; i += width)
        transpose_square<width>(from + i * columns + j, columns, to + j * rows + i, rows);
    for (; j < columns; ++j)
      for (int64_t i = first; i < last; ++i) put(to[j * rows + i], number(from[i * columns + j]));
  }
  for (int64_t i = whole; i < end; ++i)
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
    float block[kStrip];
    for (int64_t j = 0; j < columns; ++j) block[j] = 0;
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
  fastest<transpose<4, From, To>, transpose<8, From, To>, transpose<16, From, To>>(
      from, to, rows, columns, begin, end);
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
