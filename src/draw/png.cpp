#include "draw/png.h"

#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "draw/palette.h"

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

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  expect(code == Z_OK, "zlib packs what it has room for");
  out.resize(size);
  return out;
}

uint8_t part_of(const std::string& colour, std::size_t at) {
  return static_cast<uint8_t>(std::stoi(colour.substr(at, 2), nullptr, 16));
}

}  // namespace

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
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed(rows)) +
         chunk("IEND", "");
}

std::string png_heatmap(const study::AttentionMatrix& matrix, int64_t cell) {
  check(matrix);
  const auto columns = std::ssize(matrix.source), rows = std::ssize(matrix.target);
  const float largest =
      matrix.weights.empty() ? 1 : std::max(1e-6F, *std::ranges::max_element(matrix.weights));
  std::vector<uint8_t> pixels;
  for (int64_t y = 0; y < rows * cell; ++y)
    for (int64_t x = 0; x < columns * cell; ++x) {
      const std::string colour =
          ink(matrix.at(static_cast<std::size_t>(y / cell), static_cast<std::size_t>(x / cell)) /
              largest);
      for (const std::size_t at : {1, 3, 5}) pixels.push_back(part_of(colour, at));
    }
  return png_of(pixels, columns * cell, rows * cell);
}

}  // namespace heed::draw
