#include "draw/png.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "draw/heatmap.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

std::string big_endian(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
  return out;
}

/// Length, name, data, and the checksum of name and data.
std::string chunk(std::string_view name, std::string_view data) {
  const std::string body = std::string(name) + std::string(data);
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return big_endian(static_cast<uint32_t>(data.size())) + body +
         big_endian(static_cast<uint32_t>(sum));
}

}  // namespace

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  expect(code == Z_OK, "zlib packs what it has room for");
  out.resize(size);
  return out;
}

std::string png_of(std::span<const uint8_t> pixels, int64_t width, int64_t height) {
  expect(std::ssize(pixels) == 3 * width * height, "three bytes a pixel");
  std::string rows;
  for (int64_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    const auto row = pixels.subspan(static_cast<std::size_t>(3 * width * y),
                                    static_cast<std::size_t>(3 * width));
    rows.append(row.begin(), row.end());
  }
  const std::string header = big_endian(static_cast<uint32_t>(width)) +
                             big_endian(static_cast<uint32_t>(height)) +
                             std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", compressed(rows)) +
         chunk("IEND", "");
}

std::string png_heatmap(const study::AttentionMatrix& matrix, int64_t cell, double largest) {
  check(matrix);
  const auto columns = std::ssize(matrix.source), rows = std::ssize(matrix.target);
  std::vector<uint8_t> pixels, row;
  for (int64_t y = 0; y < rows; ++y) {
    row.clear();
    for (int64_t x = 0; x < columns; ++x) {
      const Colour colour =
          ink_colour(matrix.at(static_cast<std::size_t>(y), static_cast<std::size_t>(x)) / largest);
      for (int64_t i = 0; i < cell; ++i) row.insert(row.end(), colour.begin(), colour.end());
    }
    for (int64_t i = 0; i < cell; ++i) pixels.insert(pixels.end(), row.begin(), row.end());
  }
  return png_of(pixels, columns * cell, rows * cell);
}

std::string png_heatmap(const study::AttentionMatrix& matrix) {
  constexpr int64_t kCell = 12, kSide = 2048;
  const int64_t longer = std::max(std::ssize(matrix.source), std::ssize(matrix.target));
  return png_heatmap(matrix, std::clamp<int64_t>(kSide / std::max<int64_t>(longer, 1), 1, kCell),
                     largest_weight({&matrix, 1}));
}

}  // namespace heed::draw
