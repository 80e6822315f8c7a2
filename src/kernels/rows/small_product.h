// Products of matrices too small for a library's: one head of attention over one sentence.
#pragma once

#include <cstdint>

namespace heed::kernels {

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

/// Rows of `row` numbers.
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
