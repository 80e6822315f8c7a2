#include "packed/tile_product.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HEED_X86 1
#include <immintrin.h>
#else
#define HEED_X86 0
#endif

namespace heed::packed {
namespace {

#define HEED_INLINE inline __attribute__((always_inline))

// Vectors of sixteen: one register with AVX-512, two with AVX2, four with SSE. The compiler splits
// them.
using Floats = float __attribute__((vector_size(64)));
using Words = uint32_t __attribute__((vector_size(64)));
using Integers = int32_t __attribute__((vector_size(64)));

template <class Vector>
HEED_INLINE void load(Vector& vector, const void* from) {
  std::memcpy(&vector, from, sizeof vector);
}

HEED_INLINE uint32_t word(const TileFactors& t, int64_t row, int64_t step) {
  uint32_t bits;
  std::memcpy(&bits, t.x + row * t.stride + 4 * step, 4);
  return bits;
}

HEED_INLINE const unsigned char* half(const TileFactors& t, int64_t step, int64_t side) {
  return static_cast<const unsigned char*>(t.panel) + step * 128 + side * 64;
}

// --- one step of each kind: sums[row][side] += x[row] * panel[side]

struct Fp32 {
  using Sum = Floats;
  template <int Rows>
  static HEED_INLINE void step(const TileFactors& t, int64_t k, Sum (&sums)[Rows][2]) {
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
  static HEED_INLINE void step(const TileFactors& t, int64_t k, Sum (&sums)[Rows][2]) {
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
  using Sum = Integers;
  template <int Rows>
  static HEED_INLINE void step(const TileFactors& t, int64_t k, Sum (&sums)[Rows][2]) {
    for (int side = 0; side < 2; ++side) {
      Integers fours;
      load(fours, half(t, k, side));
      // The compiler knows that shifts of signed numbers keep the sign.
      const Integers w[4] = {fours << 24 >> 24, fours << 16 >> 24, fours << 8 >> 24, fours >> 24};
      for (int r = 0; r < Rows; ++r) {
        const uint32_t x = word(t, r, k);
        for (int i = 0; i < 4; ++i) sums[r][side] += static_cast<int32_t>(x >> 8 * i & 255) * w[i];
      }
    }
  }
};

template <class Kind, int Rows>
HEED_INLINE void whole_tile(const TileFactors& t, float* tile) {
  typename Kind::Sum sums[Rows][2] = {};
  for (int64_t k = 0; k < t.steps; ++k) Kind::template step<Rows>(t, k, sums);
  std::memcpy(tile, sums, sizeof sums);
}

/// Each number of rows is a loop of its own, so that its sums stay in registers.
template <class Kind, int Rows>
HEED_INLINE void dispatch(const TileFactors& t, float* tile) {
  if constexpr (Rows > 1)
    if (t.rows < Rows) return dispatch<Kind, Rows - 1>(t, tile);
  whole_tile<Kind, Rows>(t, tile);
}

template <class Kind>
void run_plain(const TileFactors& t, float* tile) {
  dispatch<Kind, 2>(t, tile);
}

#if HEED_X86

template <class Kind>
__attribute__((target("avx2,fma"))) void run_avx2(const TileFactors& t, float* tile) {
  dispatch<Kind, 2>(t, tile);
}

template <class Kind>
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) void run_avx512(const TileFactors& t,
                                                                              float* tile) {
  dispatch<Kind, 8>(t, tile);
}

// Instructions that the compiler does not find by itself: four products of bytes, or two of bf16,
// and their sum in one go.
#define HEED_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define HEED_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

template <int Rows>
HEED_VNNI HEED_INLINE void tile_vnni(const TileFactors& t, float* tile) {
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
HEED_BF16 HEED_INLINE void tile_bf16(const TileFactors& t, float* tile) {
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

#define HEED_ROWS(tile_of)        \
  switch (t.rows) {               \
    case 1:                       \
      return tile_of<1>(t, tile); \
    case 2:                       \
      return tile_of<2>(t, tile); \
    case 3:                       \
      return tile_of<3>(t, tile); \
    case 4:                       \
      return tile_of<4>(t, tile); \
    case 5:                       \
      return tile_of<5>(t, tile); \
    case 6:                       \
      return tile_of<6>(t, tile); \
    case 7:                       \
      return tile_of<7>(t, tile); \
    default:                      \
      return tile_of<8>(t, tile); \
  }

HEED_VNNI void run_vnni(const TileFactors& t, float* tile){HEED_ROWS(tile_vnni)} HEED_BF16
    void run_bf16(const TileFactors& t, float* tile) {
  HEED_ROWS(tile_bf16)
}

template <class Kind>
TileProduct best_of() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return {8, run_avx512<Kind>};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {2, run_avx2<Kind>};
  return {2, run_plain<Kind>};
}

TileProduct best(Numbers numbers) {
  const bool wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq");
  if (numbers == Numbers::fp32) return best_of<Fp32>();
  if (numbers == Numbers::bf16)
    return wide && __builtin_cpu_supports("avx512bf16") ? TileProduct{8, run_bf16}
                                                        : best_of<Bf16>();
  return wide && __builtin_cpu_supports("avx512vnni") ? TileProduct{8, run_vnni} : best_of<Int8>();
}

#endif

TileProduct plain_product(Numbers numbers) {
  if (numbers == Numbers::fp32) return {2, run_plain<Fp32>};
  return {2, numbers == Numbers::bf16 ? run_plain<Bf16> : run_plain<Int8>};
}

}  // namespace

TileProduct tile_product(Numbers numbers, bool plain) {
#if HEED_X86
  static const TileProduct fastest[] = {best(Numbers::fp32), best(Numbers::bf16),
                                        best(Numbers::int8)};
  if (!plain) return fastest[static_cast<int>(numbers)];
#endif
  return plain_product(numbers);
}

}  // namespace heed::packed
