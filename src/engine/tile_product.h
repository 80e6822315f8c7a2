// A few rows times one panel of a rearranged matrix: what the processor at hand does best.
#pragma once

#include <cstdint>

#include "engine/matrix.h"

namespace heed::engine {

inline constexpr int64_t kMostTileRows = 16;

struct TileFactors {
  const unsigned char* x;  // rows, `stride` bytes apart, of `steps` times four bytes
  int64_t stride;
  int64_t rows;       // 1..TileProduct::rows
  const void* panel;  // as Matrix::panel
  int64_t steps;
};

struct TileProduct {
  int64_t rows;  // most of a tile
  /// Writes [rows, 32]: floats, or for int8 the bits of the sums of (x + 128) w modulo
  /// 2^32.
  void (*run)(const TileFactors&, float* tile);
  /// To be called before run() for factors of other rows or steps than before, if it is not null.
  /// Whether end() must be called after the last run().
  bool (*begin)(const TileFactors&) = nullptr;
  void (*end)() = nullptr;
};

/// The fastest that this processor runs. `plain`: the one for any processor, to which the others
/// are held.
TileProduct tile_product(WeightFormat numbers, bool plain = false);

}  // namespace heed::engine
