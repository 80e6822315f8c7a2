#include "packed/tile_product.h"

#include <bit>
#include <cstring>

#include "kernels/rows/versions.h"

#if HEED_X86
#include <immintrin.h>
#endif

namespace heed::packed {
namespace {

using kernels::Level;
using kernels::Versions;

// Vectors of sixteen: one register with AVX-512, two with AVX2, four with SSE. The compiler splits
// them.
using Floats = float __attribute__((vector_size(64)));
using Words = uint32_t __attribute__((vector_size(64)));
using Integers = int32_t __attribute__((vector_size(64)));

template <class Vector>
HEED_LOOP void load(Vector& vector, const void* from) {
  std::memcpy(&vector, from, sizeof vector);
}

HEED_LOOP uint32_t word(const TileFactors& t, int64_t row, int64_t step) {
  uint32_t bits;
  std::memcpy(&bits, t.x + row * t.stride + 4 * step, 4);
  return bits;
}

HEED_LOOP const unsigned char* half(const TileFactors& t, int64_t step, int64_t side) {
  return static_cast<const unsigned char*>(t.panel) + step * 128 + side * 64;
}

// --- one step of each kind: sums[row][side] += x[row] * panel[side]

struct Fp32 {
  using Sum = Floats;
  template <int Rows>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, Sum (&sums)[Rows][2]) {
    Floats left, right;
    load(left, half(t, k, 0));
    load(right, half(t, k, 1));
    for (int r = 0; r < Rows; ++r) {
      const float x = std::bit_cast<float>(word(t, r, k));
      sums[r][0] += x * left;
      sums[r][1] += x * right;
    }
  }
};

struct Bf16 {
  using Sum = Floats;
  template <int Rows>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, Sum (&sums)[Rows][2]) {
    for (int side = 0; side < 2; ++side) {
      Words pairs;
      load(pairs, half(t, k, side));
      const Words low = pairs << 16, high = pairs & 0xFFFF0000U;
      Floats first, second;
      load(first, &low);
      load(second, &high);
      for (int r = 0; r < Rows; ++r) {
        const uint32_t x = word(t, r, k);
        sums[r][side] += std::bit_cast<float>(x << 16) * first;
        sums[r][side] += std::bit_cast<float>(x & 0xFFFF0000U) * second;
      }
    }
  }
};

struct Int8 {
  using Sum = Words;  // sums may run over
  template <int Rows>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, Sum (&sums)[Rows][2]) {
    for (int side = 0; side < 2; ++side) {
      Integers fours;
      load(fours, half(t, k, side));
      // The compiler knows that shifts of signed numbers keep the sign.
      const Words w[4] = {(Words)(fours << 24 >> 24), (Words)(fours << 16 >> 24),
                          (Words)(fours << 8 >> 24), (Words)(fours >> 24)};
      for (int r = 0; r < Rows; ++r) {
        const uint32_t x = word(t, r, k);
        for (int i = 0; i < 4; ++i) sums[r][side] += (x >> 8 * i & 255) * w[i];
      }
    }
  }
};

template <class Kind, int Rows>
HEED_LOOP void whole_tile(const TileFactors& t, float* tile) {
  typename Kind::Sum sums[Rows][2] = {};
  for (int64_t k = 0; k < t.steps; ++k) Kind::template step<Rows>(t, k, sums);
  std::memcpy(tile, sums, sizeof sums);
}

/// Each number of rows is a loop of its own, so that its sums stay in registers.
template <class Kind, int Rows>
HEED_LOOP void tile_of(const TileFactors& t, float* tile) {
  if constexpr (Rows > 1)
    if (t.rows < Rows) return tile_of<Kind, Rows - 1>(t, tile);
  whole_tile<Kind, Rows>(t, tile);
}

// Registers for the sums of so many rows: AVX-512 has 32 of 16 floats.
constexpr int kFewRows = 2, kManyRows = kMostTileRows;

template <class Kind>
TileProduct plain_of() {
  return {kFewRows, Versions<tile_of<Kind, kFewRows>>::plain};
}

TileProduct plain_product(Numbers numbers) {
  if (numbers == Numbers::fp32) return plain_of<Fp32>();
  return numbers == Numbers::bf16 ? plain_of<Bf16>() : plain_of<Int8>();
}

#if HEED_X86

// Instructions that the compiler does not find by itself: four products of bytes, or two of bf16,
// and their sum in one go.
template <int Rows>
[[gnu::target("arch=x86-64-v4,avx512vnni")]] void tile_by_vnni(const TileFactors& t, float* tile) {
  if constexpr (Rows > 1)
    if (t.rows < Rows) return tile_by_vnni<Rows - 1>(t, tile);
  __m512i sums[Rows][2] = {};
  for (int64_t k = 0; k < t.steps; ++k) {
    const __m512i left = _mm512_loadu_si512(half(t, k, 0));
    const __m512i right = _mm512_loadu_si512(half(t, k, 1));
    for (int r = 0; r < Rows; ++r) {
      const __m512i x = _mm512_set1_epi32(static_cast<int>(word(t, r, k)));
      sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], x, left);
      sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], x, right);
    }
  }
  std::memcpy(tile, sums, sizeof sums);
}

template <int Rows>
[[gnu::target("arch=x86-64-v4,avx512bf16")]] void tile_by_bf16(const TileFactors& t, float* tile) {
  if constexpr (Rows > 1)
    if (t.rows < Rows) return tile_by_bf16<Rows - 1>(t, tile);
  __m512 sums[Rows][2] = {};
  for (int64_t k = 0; k < t.steps; ++k) {
    const auto left = (__m512bh)_mm512_loadu_si512(half(t, k, 0));
    const auto right = (__m512bh)_mm512_loadu_si512(half(t, k, 1));
    for (int r = 0; r < Rows; ++r) {
      const auto x = (__m512bh)_mm512_set1_epi32(static_cast<int>(word(t, r, k)));
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, left);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, right);
    }
  }
  std::memcpy(tile, sums, sizeof sums);
}

template <class Kind>
TileProduct fastest_of() {
  if (kernels::level() == Level::v4) return {kManyRows, Versions<tile_of<Kind, kManyRows>>::v4};
  if (kernels::level() == Level::v3) return {kFewRows, Versions<tile_of<Kind, kFewRows>>::v3};
  return plain_of<Kind>();
}

TileProduct fastest_product(Numbers numbers) {
  if (numbers == Numbers::fp32) return fastest_of<Fp32>();
  if (numbers == Numbers::bf16)
    return kernels::has_bf16_products() ? TileProduct{kManyRows, tile_by_bf16<kManyRows>}
                                        : fastest_of<Bf16>();
  return kernels::has_vnni() ? TileProduct{kManyRows, tile_by_vnni<kManyRows>} : fastest_of<Int8>();
}

#else

TileProduct fastest_product(Numbers numbers) {
  return plain_product(numbers);
}

#endif

}  // namespace

TileProduct tile_product(Numbers numbers, bool plain) {
  return plain ? plain_product(numbers) : fastest_product(numbers);
}

}  // namespace heed::packed
