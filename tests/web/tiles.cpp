// The fastest tiles of WebAssembly beside those for any processor, and what is said of characters
// there, for tests/web/test_web.py.
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/tile_product.h"
#include "web/characters.h"

namespace heed::engine {
namespace {

/// Numbers of an own making, the same everywhere: WebAssembly has no <random> that is.
class Numbers {
 public:
  std::vector<float> next(int64_t count) {
    std::vector<float> out(count);
    for (float& x : out) {
      state_ = state_ * 1664525U + 1013904223U;
      x = static_cast<float>(state_ >> 8) / 16777216.0F - 0.5F;
    }
    return out;
  }

 private:
  uint32_t state_ = 1;
};

int different(WeightFormat format, int64_t rows, int64_t columns, int64_t inner) {
  Numbers numbers;
  const std::vector<float> x = numbers.next(rows * inner), w = numbers.next(columns * inner);
  const Matrix matrix(w.data(), columns, inner, format);
  LeftFactor left;
  left.take(x.data(), rows, inner, format);
  int count = 0;
  for (int64_t panel = 0; panel < matrix.panels(); ++panel) {
    std::vector<float> tiles[2];
    for (const bool plain : {false, true}) {
      const TileProduct product = plain ? tile_products(format).back() : tile_product(format);
      for (int64_t row = 0; row < rows; row += product.rows) {
        float tile[kMostTileRows * Matrix::kPanel];
        const int64_t some = std::min(product.rows, rows - row);
        product.run({.x = static_cast<const unsigned char*>(left.row(row)),
                     .stride = left.row_bytes(),
                     .rows = some,
                     .panel = matrix.panel(panel),
                     .steps = matrix.steps()},
                    tile);
        tiles[plain].insert(tiles[plain].end(), tile, tile + some * Matrix::kPanel);
      }
    }
    count += std::memcmp(tiles[0].data(), tiles[1].data(), tiles[0].size() * sizeof(float)) != 0;
  }
  return count;
}

}  // namespace
}  // namespace heed::engine

/// The number of panels, of several sizes, that have other bits.
extern "C" [[clang::export_name("different")]] int different() {
  using namespace heed::engine;
  int count = 0;
  for (const WeightFormat format : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8})
    for (const int64_t inner : {1, 4, 7, 141, 1024})
      for (const int64_t rows : {1, 2, 3, 9}) count += different(format, rows, 70, inner);
  return count;
}

extern "C" [[clang::export_name("characters")]] uint32_t characters() {
  return heed::text::hash_of_all_characters();
}
