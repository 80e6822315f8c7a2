#include "engine/tile_product.h"

#include <bit>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

#if HEED_X86
#include <immintrin.h>

#define HEED_AMX [[gnu::target("arch=x86-64-v4,avx512vnni,amx-tile,amx-int8,amx-bf16")]]
#endif

namespace heed::engine {
namespace {

using kernels::InstructionSet;
using kernels::load;
using kernels::Vectors;
using kernels::Versions;

// So many vectors are a row of a tile.
template <int width>
constexpr int kParts = Matrix::kPanel / width;

// --- one step of each kind: sums[row][side] += x[row] * panel[side]

template <int width>
struct Fp32 {
  using Floats = typename Vectors<width>::Floats;
  using Sum = Floats;
  template <int rows>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, Sum (&sums)[rows][kParts<width>]) {
    for (int part = 0; part < kParts<width>; ++part) {
      Floats panel;
      load(panel, t.at(k, part * width));
      for (int r = 0; r < rows; ++r) sums[r][part] += std::bit_cast<float>(t.word(r, k)) * panel;
    }
  }
};

template <int width>
struct Bf16 {
  using Floats = typename Vectors<width>::Floats;
  using Words = typename Vectors<width>::Words;
  using Sum = Floats;
  template <int rows>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, Sum (&sums)[rows][kParts<width>]) {
    for (int part = 0; part < kParts<width>; ++part) {
      Words pairs;
      load(pairs, t.at(k, part * width));
      const Words low = pairs << 16, high = pairs & 0xFFFF0000U;
      Floats first, second;
      load(first, &low);
      load(second, &high);
      for (int r = 0; r < rows; ++r) {
        const uint32_t x = t.word(r, k);
        sums[r][part] += std::bit_cast<float>(x << 16) * first;
        sums[r][part] += std::bit_cast<float>(x & 0xFFFF0000U) * second;
      }
    }
  }
};

template <int width>
struct Int8 {
  using Words = typename Vectors<width>::Words;
  using Integers = typename Vectors<width>::Integers;
  using Sum = Words;  // sums may run over
  template <int rows>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, Sum (&sums)[rows][kParts<width>]) {
    for (int part = 0; part < kParts<width>; ++part) {
      Integers fours;
      load(fours, t.at(k, part * width));
      // The compiler knows that shifts of signed numbers keep the sign.
      const Words w[4] = {(Words)(fours << 24 >> 24), (Words)(fours << 16 >> 24),
                          (Words)(fours << 8 >> 24), (Words)(fours >> 24)};
      for (int r = 0; r < rows; ++r) {
        const uint32_t x = t.word(r, k);
        for (int i = 0; i < 4; ++i) sums[r][part] += (x >> 8 * i & 255) * w[i];
      }
    }
  }
};

template <template <int> class Kind, int width, int rows>
HEED_LOOP void whole_tile(const TileFactors& t, float* tile) {
  typename Kind<width>::Sum sums[rows][kParts<width>] = {};
  for (int64_t k = 0; k < t.steps; ++k) Kind<width>::template step<rows>(t, k, sums);
  for (int r = 0; r < rows; ++r)
    for (int part = 0; part < kParts<width>; ++part)
      std::memcpy(tile + r * Matrix::kPanel + part * width, &sums[r][part], sizeof sums[r][part]);
}

/// Each number of rows is a loop of its own, so that its sums stay in registers.
template <template <int> class Kind, int width, int rows>
HEED_LOOP void tile_of(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_of<Kind, width, rows - 1>(t, tile);
  whole_tile<Kind, width, rows>(t, tile);
}

// Registers for the sums of so many rows.
constexpr int kFewRows = 2;

template <template <int> class Kind>
TileProduct plain_of() {
  return {kFewRows, Versions<tile_of<Kind, 4, kFewRows>>::plain};
}

TileProduct plain_product(WeightFormat numbers) {
  if (numbers == WeightFormat::fp32) return plain_of<Fp32>();
  return numbers == WeightFormat::bf16 ? plain_of<Bf16>() : plain_of<Int8>();
}

#if HEED_X86

constexpr int kManyRows = 8;  // AVX-512 has 32 registers of 16 floats

// Instructions that the compiler does not find by itself: four products of bytes, or two of bf16,
// and their sum in one go.
template <int rows>
[[gnu::target("arch=x86-64-v4,avx512vnni")]] void tile_by_vnni(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_by_vnni<rows - 1>(t, tile);
  __m512i sums[rows][2] = {};
  for (int64_t k = 0; k < t.steps; ++k) {
    const __m512i left = _mm512_loadu_si512(t.at(k, 0));
    const __m512i right = _mm512_loadu_si512(t.at(k, 16));
    for (int r = 0; r < rows; ++r) {
      const __m512i x = _mm512_set1_epi32(static_cast<int>(t.word(r, k)));
      sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], x, left);
      sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], x, right);
    }
  }
  std::memcpy(tile, sums, sizeof sums);
}

template <int rows>
[[gnu::target("arch=x86-64-v4,avx512bf16")]] void tile_by_bf16(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_by_bf16<rows - 1>(t, tile);
  __m512 sums[rows][2] = {};
  for (int64_t k = 0; k < t.steps; ++k) {
    const auto left = (__m512bh)_mm512_loadu_si512(t.at(k, 0));
    const auto right = (__m512bh)_mm512_loadu_si512(t.at(k, 16));
    for (int r = 0; r < rows; ++r) {
      const auto x = (__m512bh)_mm512_set1_epi32(static_cast<int>(t.word(r, k)));
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, left);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, right);
    }
  }
  std::memcpy(tile, sums, sizeof sums);
}

/// What AMX is told of its eight registers: rows, and bytes of a row.
struct alignas(64) AmxShapes {
  uint8_t palette = 1, start = 0, unused[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};

  void set(int index, int64_t count, int64_t bytes) {
    rows[index] = static_cast<uint8_t>(count);
    row_bytes[index] = static_cast<uint16_t>(bytes);
  }
};

struct AmxInt8 {
  HEED_AMX static void first() {
    _tile_dpbusd(0, 2, 3);
    _tile_dpbusd(1, 2, 4);
  }
  HEED_AMX static void last() {
    _tile_dpbusd(0, 5, 6);
    _tile_dpbusd(1, 5, 7);
  }
};
struct AmxBf16 {
  HEED_AMX static void first() {
    _tile_dpbf16ps(0, 2, 3);
    _tile_dpbf16ps(1, 2, 4);
  }
  HEED_AMX static void last() {
    _tile_dpbf16ps(0, 5, 6);
    _tile_dpbf16ps(1, 5, 7);
  }
};

// A register of AMX is 16 rows of 64 bytes: 16 steps of 16 rows of x, or 16 steps of half a panel.
// Registers 0 and 1 have the sums, 2 the rows of x, 3 and 4 the panel, 5 to 7 the same of the steps
// that are left.
constexpr int64_t kAmxSteps = 16;

HEED_AMX bool begin_amx(const TileFactors& t) {
  constexpr int64_t kRowBytes = 64;
  const int64_t left = t.steps % kAmxSteps;
  AmxShapes shapes;
  for (const int sums : {0, 1}) shapes.set(sums, t.rows, kRowBytes);
  shapes.set(2, t.rows, kRowBytes);
  for (const int panel : {3, 4}) shapes.set(panel, kAmxSteps, kRowBytes);
  if (left > 0) {
    shapes.set(5, t.rows, 4 * left);
    for (const int panel : {6, 7}) shapes.set(panel, left, kRowBytes);
  }
  // GCC 12 thinks that the instruction reads the first eight bytes alone.
  asm volatile("" : : "r"(&shapes) : "memory");
  _tile_loadconfig(&shapes);
  return true;
}

HEED_AMX void end_amx() {
  _tile_release();
}

template <class Product>
HEED_AMX void whole_tile_by_amx(const TileFactors& t, float* tile) {
  constexpr int64_t kPanelRow = 4 * Matrix::kPanel;
  const int64_t left = t.steps % kAmxSteps, whole = t.steps - left;
  _tile_zero(0);
  _tile_zero(1);
  for (int64_t k = 0; k < whole; k += kAmxSteps) {
    _tile_loadd(2, t.x + 4 * k, t.stride);
    _tile_loadd(3, t.at(k, 0), kPanelRow);
    _tile_loadd(4, t.at(k, 16), kPanelRow);
    Product::first();
  }
  if (left > 0) {
    _tile_loadd(5, t.x + 4 * whole, t.stride);
    _tile_loadd(6, t.at(whole, 0), kPanelRow);
    _tile_loadd(7, t.at(whole, 16), kPanelRow);
    Product::last();
  }
  _tile_stored(0, tile, kPanelRow);
  _tile_stored(1, tile + 16, kPanelRow);
}

// The sums are whole numbers, and so the same as those of any other loop. AMX takes as long for few
// rows as for many.
constexpr int kFewForAmx = 4;

HEED_AMX bool begin_int8(const TileFactors& t) {
  return t.rows > kFewForAmx && begin_amx(t);
}

HEED_AMX void int8_by_amx(const TileFactors& t, float* tile) {
  t.rows <= kFewForAmx ? tile_by_vnni<kFewForAmx>(t, tile) : whole_tile_by_amx<AmxInt8>(t, tile);
}

// Sums of bf16 products are rounded as AMX rounds them, however many rows there are.
HEED_AMX void bf16_by_amx(const TileFactors& t, float* tile) {
  whole_tile_by_amx<AmxBf16>(t, tile);
}

template <template <int> class Kind>
TileProduct fastest_of() {
  if (kernels::processor().level == InstructionSet::v4)
    return {kManyRows, Versions<tile_of<Kind, 16, kManyRows>>::v4};
  if (kernels::processor().level == InstructionSet::v3)
    return {kFewRows, Versions<tile_of<Kind, 8, kFewRows>>::v3};
  return plain_of<Kind>();
}

TileProduct fastest_product(WeightFormat numbers) {
  if (numbers == WeightFormat::fp32) return fastest_of<Fp32>();
  if (kernels::has_amx())
    return numbers == WeightFormat::bf16
               ? TileProduct{kMostTileRows, bf16_by_amx, begin_amx, end_amx}
               : TileProduct{kMostTileRows, int8_by_amx, begin_int8, end_amx};
  if (numbers == WeightFormat::bf16)
    return kernels::processor().bf16_products ? TileProduct{kManyRows, tile_by_bf16<kManyRows>}
                                              : fastest_of<Bf16>();
  return kernels::processor().vnni ? TileProduct{kManyRows, tile_by_vnni<kManyRows>}
                                   : fastest_of<Int8>();
}

#elif defined(__wasm_simd128__)

// Products of numbers of 16 bits, and the sum of each two of them, in one go.
template <int rows>
void tile_by_simd128(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_by_simd128<rows - 1>(t, tile);
  for (int part = 0; part < Matrix::kPanel; part += 8) {
    v128_t sums[rows][4] = {};  // two lanes a column
    for (int64_t k = 0; k < t.steps; ++k) {
      const v128_t low = wasm_v128_load(t.at(k, part)), high = wasm_v128_load(t.at(k, part + 4));
      const v128_t w[4] = {wasm_i16x8_extend_low_i8x16(low), wasm_i16x8_extend_high_i8x16(low),
                           wasm_i16x8_extend_low_i8x16(high), wasm_i16x8_extend_high_i8x16(high)};
      for (int r = 0; r < rows; ++r) {
        const v128_t x = wasm_u16x8_extend_low_u8x16(wasm_u32x4_splat(t.word(r, k)));
        for (int i = 0; i < 4; ++i)
          sums[r][i] = wasm_i32x4_add(sums[r][i], wasm_i32x4_dot_i16x8(w[i], x));
      }
    }
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < 4; i += 2) {
        const v128_t even = wasm_i32x4_shuffle(sums[r][i], sums[r][i + 1], 0, 2, 4, 6),
                     odd = wasm_i32x4_shuffle(sums[r][i], sums[r][i + 1], 1, 3, 5, 7);
        wasm_v128_store(tile + r * Matrix::kPanel + part + 2 * i, wasm_i32x4_add(even, odd));
      }
  }
}

TileProduct fastest_product(WeightFormat numbers) {
  return numbers == WeightFormat::int8 ? TileProduct{kFewRows, tile_by_simd128<kFewRows>}
                                       : plain_product(numbers);
}

#elif defined(__aarch64__)

TileProduct fastest_product(WeightFormat numbers) {
  const TileProduct product = neon_product(numbers);
  return product.run != nullptr ? product : plain_product(numbers);
}

#else

TileProduct fastest_product(WeightFormat numbers) {
  return plain_product(numbers);
}

#endif

}  // namespace

TileProduct tile_product(WeightFormat numbers, bool plain) {
  return plain ? plain_product(numbers) : fastest_product(numbers);
}

}  // namespace heed::engine
