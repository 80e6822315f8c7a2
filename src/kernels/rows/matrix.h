// Rows of a matrix that become columns of another, in blocks that stay in the processor's nearest
// cache; and sums over its rows. The types are float, or uint16_t for bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

inline constexpr int64_t kTransposeBlock = 16;  // a cache line of floats

/// from [rows, columns] -> to [columns, rows], the rows [begin, end) alone, `begin` a multiple of
/// kTransposeBlock.
template <class From, class To>
void transpose_rows(const From* from, To* to, int64_t rows, int64_t columns, int64_t begin,
                    int64_t end);

inline constexpr int64_t kStrip = 1024;  // columns of one sum, neighbours in memory

/// total [columns] = the sum of x [rows, columns], whose rows begin `stride` numbers apart. At most
/// kStrip columns.
template <class T>
void sum_strip(const T* x, int64_t rows, int64_t stride, int64_t columns, float* total);

// Products of matrices too small for a library's: one head of attention over one sentence.

/// Rows of C are padded to a multiple of this, and so are those of B that are as wide.
constexpr int64_t kLanes = 16;

inline int64_t padded(int64_t width) {
  return (width + kLanes - 1) / kLanes * kLanes;
}

/// A(i, k) is data[i * row + k * column], so that a transposed factor costs nothing.
struct Factor {
  const float* data = nullptr;
  int64_t row = 0, column = 1;
};

/// A table whose rows begin `row` numbers apart.
template <class Number>
struct Grid {
  Number* data = nullptr;
  int64_t row = 0;
};

/// C [rows, width] = A [rows, inner] B [inner, width], or C + A B where `add`. `width` is a
/// multiple of kLanes.
struct SmallProduct {
  Factor a;
  Grid<const float> b;
  Grid<float> c;
  int64_t rows = 0, inner = 0, width = 0;
  bool add = false;
};
void multiply(const SmallProduct& product);

}  // namespace heed::kernels
