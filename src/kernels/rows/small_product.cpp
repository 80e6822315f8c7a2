#include "kernels/rows/small_product.h"

#include <cstring>

#include "kernels/rows/vectors.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

// A block of C is held in registers over the whole inner dimension: 6 x 2 of them hide the latency
// of a multiply-add behind the others, and leave some of AVX2's sixteen for the factors.
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

void multiply(const SmallProduct& product) {
  fastest<bands<4>, bands<8>, bands<16>>(product);
}

}  // namespace heed::kernels
