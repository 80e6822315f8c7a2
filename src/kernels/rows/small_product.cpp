#include "kernels/rows/small_product.h"

#include <cstring>

#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

// Sixteen numbers, in as many registers as the processor needs for them.
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

HEED_LOOP void load(Lanes& to, const float* from) {
  std::memcpy(&to, from, sizeof(Lanes));
}

// A block of C is held in registers over the whole inner dimension: 6 x 2 of them hide the latency
// of a multiply-add behind the others.
constexpr int64_t kBlockRows = 6, kBlockLanes = 2;

template <int64_t rows, int64_t lanes>
HEED_LOOP void block(const SmallProduct& p, int64_t row, int64_t column) {
  Lanes sums[rows][lanes] = {};
  const float* a = p.a.data + row * p.a.row;
  const float* b = p.b.data + column;
  for (int64_t k = 0; k < p.inner; ++k, a += p.a.column, b += p.b.row) {
    Lanes right[lanes];
    for (int64_t j = 0; j < lanes; ++j) load(right[j], b + j * kLanes);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < lanes; ++j) sums[i][j] += a[i * p.a.row] * right[j];
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < lanes; ++j) {
      float* c = p.c.data + (row + i) * p.c.row + column + j * kLanes;
      if (p.add) {
        Lanes right;
        load(right, c);
        sums[i][j] += right;
      }
      std::memcpy(c, &sums[i][j], sizeof(Lanes));
    }
}

template <int64_t rows>
HEED_LOOP void band(const SmallProduct& p, int64_t row) {
  int64_t column = 0;
  for (; column + kBlockLanes * kLanes <= p.width; column += kBlockLanes * kLanes)
    block<rows, kBlockLanes>(p, row, column);
  if (column < p.width) block<rows, 1>(p, row, column);
}

HEED_LOOP void bands(const SmallProduct& product) {
  int64_t row = 0;
  for (; row + kBlockRows <= product.rows; row += kBlockRows) band<kBlockRows>(product, row);
  for (; row + 2 <= product.rows; row += 2) band<2>(product, row);
  if (row < product.rows) band<1>(product, row);
}

}  // namespace

void multiply(const SmallProduct& product) {
  fastest<bands>(product);
}

}  // namespace heed::kernels
