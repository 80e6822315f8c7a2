// Products of matrices too small for a library's: one head of attention over one sentence.
#pragma once

#include <cstdint>

namespace heed::model::kernels {

/// Rows of C are padded to a multiple of this, and so are those of B that are as wide.
constexpr int64_t kLanes = 16;

inline int64_t padded(int64_t width) {
  return (width + kLanes - 1) / kLanes * kLanes;
}

/// C [rows, width] = A B, or C + A B where `add`. A(i, k) is a[i * a_row + k * a_column], so a
/// transposed one costs nothing; B [inner, width] and C are stored by rows of b_row and c_row
/// numbers. `width` is a multiple of kLanes.
struct SmallProduct {
  const float* a = nullptr;
  int64_t a_row = 0, a_column = 1;
  const float* b = nullptr;
  int64_t b_row = 0;
  float* c = nullptr;
  int64_t c_row = 0;
  int64_t rows = 0, inner = 0, width = 0;
  bool add = false;
};
void multiply(const SmallProduct& product);

}  // namespace heed::model::kernels
