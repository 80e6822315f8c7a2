// Products of a few rows with one panel of a rearranged matrix, by the fastest instructions of the
// processor at hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/matrix.h"
#include "kernels/rows/versions.h"

namespace heed::engine {

inline constexpr int64_t kMostTileRows = 16;

struct TileFactors {
  const unsigned char* x;  // rows, `stride` bytes apart, of `steps` times four bytes
  int64_t stride;
  int64_t rows;       // 1..TileProduct::rows
  const void* panel;  // as Matrix::panel
  int64_t steps;
  const uint32_t* shifts = nullptr;  // int8: of the panel's columns, as Matrix::shifts
  const FitsIn16* fits = nullptr;    // int8: of the panel, as Matrix::fits

  HEED_LOOP uint32_t word(int64_t row, int64_t step) const {
    uint32_t bits;
    std::memcpy(&bits, x + row * stride + 4 * step, 4);
    return bits;
  }
  HEED_LOOP const unsigned char* at(int64_t step, int64_t column) const {
    return static_cast<const unsigned char*>(panel) + 4 * (step * Matrix::kPanel + column);
  }
};

struct TileProduct {
  int64_t rows = 0;  // most of a tile
  /// Writes [rows, 32]: floats, or for int8 the bits of the sums of (x + 128) w modulo
  /// 2^32.
  void (*run)(const TileFactors&, float* tile) = nullptr;
  /// If it is not null, it must be called before run() when the factors have other rows or steps
  /// than before. Returns whether end() must be called after the last run().
  bool (*begin)(const TileFactors&) = nullptr;
  void (*end)() = nullptr;
};

using TileProducts = std::vector<TileProduct>;

/// The products that this processor runs, the fastest first, the one for any processor last. Those
/// of int8 have the same bits.
TileProducts tile_products(WeightFormat numbers);
/// The fastest of them.
const TileProduct& tile_product(WeightFormat numbers);

/// The product by ARM's instructions that not every processor has; `run` is null where this one has
/// none of them.
TileProduct neon_product(WeightFormat numbers);

}  // namespace heed::engine
