#include "engine/tile_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

#if HEED_X86
#include <immintrin.h>

#define HEED_AVX2 [[gnu::target("arch=x86-64-v3")]]
#define HEED_AMX [[gnu::target("arch=x86-64-v4,avx512vnni,amx-tile,amx-int8,amx-bf16")]]
#endif

namespace heed::engine {
namespace {

using kernels::InstructionSet;
using kernels::load;
using kernels::Vectors;
using kernels::Versions;

// --- one step of each kind: sums[row] += x[row] * panel, for some vectors of the panel's width

template <int width>
struct Fp32 {
  static constexpr int kRowsByAvx2 = 6;
  using Floats = typename Vectors<width>::Floats;
  using Sum = Floats;
  template <int rows, int vectors>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, int64_t column,
                             Sum (&sums)[rows][vectors]) {
    Floats panel[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) load(panel[v], t.at(k, column + v * width));
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) sums[r][v] += std::bit_cast<float>(t.word(r, k)) * panel[v];
  }
};

template <int width>
struct Bf16 {
  static constexpr int kRowsByAvx2 = 2;
  using Floats = typename Vectors<width>::Floats;
  using Words = typename Vectors<width>::Words;
  using Sum = Floats;
  template <int rows, int vectors>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, int64_t column,
                             Sum (&sums)[rows][vectors]) {
    for (int v = 0; v < vectors; ++v) {
      Words pairs;
      load(pairs, t.at(k, column + v * width));
      const Words low = pairs << 16, high = pairs & 0xFFFF0000U;
      Floats first, second;
      load(first, &low);
      load(second, &high);
      for (int r = 0; r < rows; ++r) {
        const uint32_t x = t.word(r, k);
        sums[r][v] += std::bit_cast<float>(x << 16) * first;
        sums[r][v] += std::bit_cast<float>(x & 0xFFFF0000U) * second;
      }
    }
  }
};

template <int width>
struct Int8 {
  using Words = typename Vectors<width>::Words;
  using Integers = typename Vectors<width>::Integers;
  using Sum = Words;  // sums may overflow
  template <int rows, int vectors>
  HEED_LOOP static void step(const TileFactors& t, int64_t k, int64_t column,
                             Sum (&sums)[rows][vectors]) {
    for (int v = 0; v < vectors; ++v) {
      Integers fours;
      load(fours, t.at(k, column + v * width));
      // The compiler knows that shifts of signed numbers keep the sign.
      const Words w[4] = {(Words)(fours << 24 >> 24), (Words)(fours << 16 >> 24),
                          (Words)(fours << 8 >> 24), (Words)(fours >> 24)};
      for (int r = 0; r < rows; ++r) {
        const uint32_t x = t.word(r, k);
        for (int i = 0; i < 4; ++i) sums[r][v] += (x >> 8 * i & 255) * w[i];
      }
    }
  }
};

/// The number of vectors of a panel that are multiplied with the rows at a time, so that sums and
/// factors stay in registers. AVX2 has 16 registers: 6 x 2 sums need 8 numbers from the cache a
/// step, and 2 x 4 need 6.
template <int width, int rows>
constexpr int kTogether = width == 8 && rows > 2 ? 2 : Matrix::kPanel / width;

/// The number of steps of a panel that stay in the fastest cache while its parts are taken one
/// after another.
constexpr int64_t kStepsNear = 128;

/// Calls `Part::step(t, k, column, sums)` for all columns and steps, in the order of the steps.
template <class Part, int rows, int vectors, int width>
HEED_LOOP void by_parts(const TileFactors& t, float* tile) {
  constexpr bool whole = vectors * width == Matrix::kPanel;
  const int64_t near = whole ? t.steps : kStepsNear;
  for (int64_t begin = 0; begin < t.steps; begin += near) {
    const int64_t end = std::min(begin + near, t.steps);
    for (int64_t column = 0; column < Matrix::kPanel; column += vectors * width) {
      typename Part::Sum sums[rows][vectors] = {};
      if (begin > 0)
        for (int r = 0; r < rows; ++r)
          std::memcpy(sums[r], tile + r * Matrix::kPanel + column, sizeof sums[r]);
      for (int64_t k = begin; k < end; ++k) {
        // Processors prefetch a panel that is read whole, but not one of which each second cache
        // line is read.
        if constexpr (!whole) __builtin_prefetch(t.at(k + kStepsNear, column));
        Part::step(t, k, column, sums);
      }
      for (int r = 0; r < rows; ++r)
        std::memcpy(tile + r * Matrix::kPanel + column, sums[r], sizeof sums[r]);
    }
  }
}

/// Each number of rows is a loop of its own, so that its sums stay in registers.
template <template <int> class Kind, int width, int rows>
HEED_LOOP void tile_of(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_of<Kind, width, rows - 1>(t, tile);
  by_parts<Kind<width>, rows, kTogether<width, rows>, width>(t, tile);
}

// The rows of a tile on processors that have few registers for the sums.
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

// Instructions that the compiler does not find by itself: they make two or four products and their
// sum.

/// Products of bytes and their sums in 16 bits, where the panel says that they fit.
struct BytesByAvx2 {
  using Sum = __m256i;
  template <int rows, int vectors>
  HEED_AVX2 static void step(const TileFactors& t, int64_t k, int64_t column,
                             Sum (&sums)[rows][vectors]) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (int v = 0; v < vectors; ++v) {
      const __m256i panel =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.at(k, column + 8 * v)));
      for (int r = 0; r < rows; ++r) {
        const __m256i x = _mm256_set1_epi32(static_cast<int>(t.word(r, k)));
        sums[r][v] =
            _mm256_add_epi32(sums[r][v], _mm256_madd_epi16(_mm256_maddubs_epi16(x, panel), ones));
      }
    }
  }
  template <int rows, int vectors>
  HEED_AVX2 static void two_steps(const TileFactors& t, int64_t k, int64_t column,
                                  Sum (&sums)[rows][vectors]) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i panel[2][vectors];
    for (int step : {0, 1})
      for (int v = 0; v < vectors; ++v)
        panel[step][v] =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.at(k + step, column + 8 * v)));
    for (int r = 0; r < rows; ++r) {
      const __m256i first = _mm256_set1_epi32(static_cast<int>(t.word(r, k)));
      const __m256i second = _mm256_set1_epi32(static_cast<int>(t.word(r, k + 1)));
      for (int v = 0; v < vectors; ++v) {
        const __m256i both = _mm256_add_epi16(_mm256_maddubs_epi16(first, panel[0][v]),
                                              _mm256_maddubs_epi16(second, panel[1][v]));
        sums[r][v] = _mm256_add_epi32(sums[r][v], _mm256_madd_epi16(both, ones));
      }
    }
  }
};

/// Products of numbers of 16 bits, whose sums always fit in 32: of one step.
struct WordsByAvx2 {
  using Sum = __m256i;
  template <int rows, int vectors>
  HEED_AVX2 static void step(const TileFactors& t, int64_t k, int64_t column,
                             Sum (&sums)[rows][vectors]) {
    __m256i even[vectors], odd[vectors];  // of the four bytes of a column
    for (int v = 0; v < vectors; ++v) {
      const __m256i fours =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.at(k, column + 8 * v)));
      even[v] = _mm256_srai_epi16(_mm256_slli_epi16(fours, 8), 8);
      odd[v] = _mm256_srai_epi16(fours, 8);
    }
    for (int r = 0; r < rows; ++r) {
      const __m256i x = _mm256_set1_epi32(static_cast<int>(t.word(r, k)));
      const __m256i x_even = _mm256_and_si256(x, _mm256_set1_epi16(255)),
                    x_odd = _mm256_srli_epi16(x, 8);
      for (int v = 0; v < vectors; ++v)
        sums[r][v] = _mm256_add_epi32(
            sums[r][v],
            _mm256_add_epi32(_mm256_madd_epi16(even[v], x_even), _mm256_madd_epi16(odd[v], x_odd)));
    }
  }
};

constexpr int kRowsByAvx2 = 5;

#define HEED_AVX_VNNI [[gnu::target("arch=x86-64-v3,avxvnni")]]

/// Four products of bytes and their sum in one instruction, with registers of AVX2.
struct Int8ByAvxVnni {
  using Sum = __m256i;
  template <int rows, int vectors>
  HEED_AVX_VNNI static void step(const TileFactors& t, int64_t k, int64_t column,
                                 Sum (&sums)[rows][vectors]) {
    __m256i panel[vectors];
    for (int v = 0; v < vectors; ++v)
      panel[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.at(k, column + 8 * v)));
    for (int r = 0; r < rows; ++r) {
      const __m256i x = _mm256_set1_epi32(static_cast<int>(t.word(r, k)));
      for (int v = 0; v < vectors; ++v)
        sums[r][v] = _mm256_dpbusd_avx_epi32(sums[r][v], x, panel[v]);
    }
  }
};

constexpr int kRowsByAvxVnni = 6;

template <int rows>
HEED_AVX_VNNI void tile_by_avx_vnni(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_by_avx_vnni<rows - 1>(t, tile);
  by_parts<Int8ByAvxVnni, rows, kTogether<8, rows>, 8>(t, tile);
}

template <int rows>
HEED_AVX2 void tile_by_avx2(const TileFactors& t, float* tile) {
  if constexpr (rows > 1)
    if (t.rows < rows) return tile_by_avx2<rows - 1>(t, tile);
  constexpr int kVectors = 2, kColumns = 8 * kVectors;
  static_assert(kStepsNear % 2 == 0);
  for (int64_t begin = 0; begin < t.steps; begin += kStepsNear) {
    const int64_t end = std::min(begin + kStepsNear, t.steps), pairs_end = end - end % 2;
    for (int64_t column = 0; column < Matrix::kPanel; column += kColumns) {
      __m256i sums[rows][kVectors] = {};
      if (begin > 0)
        for (int r = 0; r < rows; ++r)
          std::memcpy(sums[r], tile + r * Matrix::kPanel + column, sizeof sums[r]);
      int64_t k = begin;
      while (k < pairs_end) {
        for (; k < pairs_end && t.fits[k / 2] == FitsIn16::two_steps; k += 2) {
          __builtin_prefetch(t.at(k + kStepsNear, column));
          __builtin_prefetch(t.at(k + kStepsNear + 1, column));
          BytesByAvx2::two_steps(t, k, column, sums);
        }
        for (; k < pairs_end && t.fits[k / 2] == FitsIn16::one_step; k += 2)
          for (const int64_t step : {k, k + 1}) BytesByAvx2::step(t, step, column, sums);
        for (; k < pairs_end && t.fits[k / 2] == FitsIn16::none; k += 2)
          for (const int64_t step : {k, k + 1}) WordsByAvx2::step(t, step, column, sums);
      }
      if (k < end) WordsByAvx2::step(t, k, column, sums);
      for (int r = 0; r < rows; ++r)
        std::memcpy(tile + r * Matrix::kPanel + column, sums[r], sizeof sums[r]);
    }
  }
}

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

/// The configuration of AMX's eight registers: their rows, and the bytes of a row.
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
// Registers 0 and 1 have the sums, 2 the rows of x, 3 and 4 the panel, 5 to 7 the rows of x and the
// panel for the steps that are left.
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
  // GCC 12 assumes that the instruction reads the first eight bytes alone.
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
    return {Kind<8>::kRowsByAvx2, Versions<tile_of<Kind, 8, Kind<8>::kRowsByAvx2>>::v3};
  return plain_of<Kind>();
}

TileProducts products_of(WeightFormat numbers) {
  const kernels::Processor& has = kernels::processor();
  TileProducts all;
  if (numbers == WeightFormat::int8) {
    if (kernels::has_amx()) all.push_back({kMostTileRows, int8_by_amx, begin_int8, end_amx});
    if (has.vnni) all.push_back({kManyRows, tile_by_vnni<kManyRows>});
    if (has.avx_vnni) all.push_back({kRowsByAvxVnni, tile_by_avx_vnni<kRowsByAvxVnni>});
    if (has.level != InstructionSet::plain) all.push_back({kRowsByAvx2, tile_by_avx2<kRowsByAvx2>});
  } else if (numbers == WeightFormat::bf16) {
    if (kernels::has_amx()) all.push_back({kMostTileRows, bf16_by_amx, begin_amx, end_amx});
    if (has.bf16_products) all.push_back({kManyRows, tile_by_bf16<kManyRows>});
    all.push_back(fastest_of<Bf16>());
  } else {
    all.push_back(fastest_of<Fp32>());
  }
  return all;
}

#elif defined(__wasm_simd128__)

// One instruction makes products of numbers of 16 bits, and the sum of each two of them.
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

TileProducts products_of(WeightFormat numbers) {
  TileProducts all;
  if (numbers == WeightFormat::int8) all.push_back({kFewRows, tile_by_simd128<kFewRows>});
  return all;
}

#elif defined(__aarch64__)

TileProducts products_of(WeightFormat numbers) {
  TileProducts all;
  if (const TileProduct own = neon_product(numbers); own.run != nullptr) all.push_back(own);
  return all;
}

#else

TileProducts products_of(WeightFormat) {
  return {};
}

#endif

}  // namespace

TileProducts tile_products(WeightFormat numbers) {
  TileProducts all = products_of(numbers);
  all.push_back(plain_product(numbers));
  return all;
}

const TileProduct& tile_product(WeightFormat numbers) {
  static const std::array<TileProduct, 3> kFastest = {tile_products(WeightFormat::fp32).front(),
                                                      tile_products(WeightFormat::bf16).front(),
                                                      tile_products(WeightFormat::int8).front()};
  return kFastest[static_cast<std::size_t>(numbers)];
}

}  // namespace heed::engine
