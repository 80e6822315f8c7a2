#include <cstdint>
#include <cstring>

#include "engine/matrix.h"
#include "engine/tile_product.h"
#include "kernels/rows/versions.h"

#ifdef __aarch64__

#include <arm_neon.h>

#include <algorithm>

#define HEED_DOT [[gnu::target("arch=armv8.2-a+dotprod")]]
#define HEED_MATRIX [[gnu::target("arch=armv8.2-a+i8mm+bf16")]]

namespace heed::engine {
namespace {

using kernels::load;

// One instruction makes four products of bytes and their sum. The bytes are signed: the shifts, 128
// times the columns' sums, are added for the 128 of x + 128.
template <int rows>
HEED_DOT void tile_by_dot(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_by_dot<rows - 1>(t, tile);
  constexpr int kColumns = 16;
  for (int part = 0; part < Matrix::kPanel; part += kColumns) {
    int32x4_t sums[rows][kColumns / 4] = {};
    for (int64_t k = 0; k < t.steps; ++k)
      for (int i = 0; i < kColumns / 4; ++i) {
        int8x16_t panel;
        load(panel, t.at(k, part + 4 * i));
        for (int r = 0; r < rows; ++r) {
          const auto x = (int8x16_t)vdupq_n_u32(t.word(r, k) ^ 0x80808080U);
          sums[r][i] = vdotq_s32(sums[r][i], panel, x);
        }
      }
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < kColumns / 4; ++i) {
        const uint32x4_t sum = (uint32x4_t)sums[r][i] + vld1q_u32(t.shifts + part + 4 * i);
        std::memcpy(tile + r * Matrix::kPanel + part + 4 * i, &sum, sizeof sum);
      }
  }
}

// One instruction multiplies two rows of x with two columns of the panel, two steps of each.
struct Int8Matrix {
  using Sum = int32x4_t;
  HEED_MATRIX static Sum add(Sum sum, uint32x4_t x, uint32x4_t panel) {
    return vusmmlaq_s32(sum, (uint8x16_t)x, (int8x16_t)panel);
  }
};
struct Bf16Matrix {
  using Sum = float32x4_t;
  HEED_MATRIX static Sum add(Sum sum, uint32x4_t x, uint32x4_t panel) {
    return vbfmmlaq_f32(sum, (bfloat16x8_t)x, (bfloat16x8_t)panel);
  }
};

/// Adds steps k and k + 1 of these columns; without `both` the second step is zeros. A last row
/// without a partner is taken twice.
template <class Product, bool both, int pairs, int sides>
HEED_MATRIX HEED_LOOP void add_steps(const TileFactors& t, int column, int64_t k,
                                     typename Product::Sum (&sums)[pairs][sides]) {
  constexpr int kBytes = both ? 8 : 4;
  uint32x4_t x[pairs], panel[sides];
  for (int p = 0; p < pairs; ++p) {
    uint32x2_t upper = {}, lower = {};
    std::memcpy(&upper, t.x + 2 * p * t.stride + 4 * k, kBytes);
    std::memcpy(&lower, t.x + std::min<int64_t>(2 * p + 1, t.rows - 1) * t.stride + 4 * k, kBytes);
    x[p] = vcombine_u32(upper, lower);
  }
  for (int i = 0; i < sides; i += 2) {
    uint32x4_t first, second = {};
    load(first, t.at(k, column + 2 * i));
    if (both) load(second, t.at(k + 1, column + 2 * i));
    panel[i] = vzip1q_u32(first, second);
    panel[i + 1] = vzip2q_u32(first, second);
  }
  for (int p = 0; p < pairs; ++p)
    for (int i = 0; i < sides; ++i) sums[p][i] = Product::add(sums[p][i], x[p], panel[i]);
}

template <class Product, int pairs>
HEED_MATRIX void tile_by_matrices(const TileFactors& t, float* tile) {
  if constexpr (pairs > 1)
    if (t.rows <= 2 * (pairs - 1)) return tile_by_matrices<Product, pairs - 1>(t, tile);
  constexpr int kSides = pairs == 1 ? 16 : pairs == 2 ? 8 : 4;  // at most 16 sums in registers
  for (int column = 0; column < Matrix::kPanel; column += 2 * kSides) {
    typename Product::Sum sums[pairs][kSides] = {};
    int64_t k = 0;
    for (; k + 1 < t.steps; k += 2) add_steps<Product, true>(t, column, k, sums);
    if (k < t.steps) add_steps<Product, false>(t, column, k, sums);
    for (int p = 0; p < pairs; ++p)
      for (int i = 0; i < kSides; i += 2) {
        const auto left = (uint64x2_t)sums[p][i], right = (uint64x2_t)sums[p][i + 1];
        const uint64x2_t upper = vzip1q_u64(left, right), lower = vzip2q_u64(left, right);
        float* to = tile + 2 * p * Matrix::kPanel + column + 2 * i;
        std::memcpy(to, &upper, sizeof upper);
        if (2 * p + 1 < t.rows) std::memcpy(to + Matrix::kPanel, &lower, sizeof lower);
      }
  }
}

}  // namespace

TileProduct neon_product(WeightFormat numbers) {
  constexpr int kDotRows = 4, kPairs = 4;
  if (numbers == WeightFormat::bf16 && kernels::processor().bf16_products)
    return {2 * kPairs, tile_by_matrices<Bf16Matrix, kPairs>};
  if (numbers == WeightFormat::int8 && kernels::processor().i8mm)
    return {2 * kPairs, tile_by_matrices<Int8Matrix, kPairs>};
  if (numbers == WeightFormat::int8 && kernels::processor().dot_products)
    return {kDotRows, tile_by_dot<kDotRows>};
  return {};
}

}  // namespace heed::engine

#endif
