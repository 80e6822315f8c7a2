#include "draw/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

namespace heed::draw {
namespace {

uint32_t number_at(const std::string& png, std::size_t at) {
  uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(png[at + i]);
  return value;
}

/// The rows of the picture, each with its filter in front; the only IDAT begins at byte 33.
std::string rows_of(const std::string& png, std::size_t size) {
  const uint32_t packed = number_at(png, 33);
  std::string rows(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &length,
                       reinterpret_cast<const Bytef*>(png.data() + 41), packed),
            Z_OK);
  EXPECT_EQ(length, size);
  return rows;
}

TEST(Png, HasItsPixelsRowByRow) {
  const std::vector<uint8_t> pixels{255, 0, 0, 0, 255, 0, 1, 2, 3, 4, 5, 6};
  const std::string png = png_of(pixels, 2, 2);
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(number_at(png, 16), 2U);
  EXPECT_EQ(number_at(png, 20), 2U);
  EXPECT_EQ(rows_of(png, 14), std::string("\0\xff\0\0\0\xff\0\0\x01\x02\x03\x04\x05\x06", 14));
  EXPECT_TRUE(png.ends_with(std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12)));
}

TEST(Png, OfWeightsIsDarkestAtTheLargest) {
  const study::AttentionMatrix matrix{.target = {"a"}, .source = {"x", "y"}, .weights = {0.5f, 0}};
  const std::string png = png_heatmap(matrix, 2, 0.5);
  EXPECT_EQ(number_at(png, 16), 4U);
  const std::string rows = rows_of(png, 2 * (1 + 4 * 3));
  EXPECT_EQ(rows.substr(1, 3), "\x08\x1d\x58");
  EXPECT_EQ(rows.substr(7, 3), "\xff\xff\xff");
}

TEST(Png, OfManyWeightsHasSmallSquares) {
  const auto side = [](std::size_t tokens) {
    const study::AttentionMatrix matrix{.target = {"a"},
                                        .source = std::vector<std::string>(tokens, "x"),
                                        .weights = std::vector<float>(tokens, 0.5f)};
    const std::string png = png_heatmap(matrix);
    return std::pair(number_at(png, 16), number_at(png, 20));
  };
  EXPECT_EQ(side(7), std::pair(84U, 12U));
  EXPECT_EQ(side(171), std::pair(171U * 11, 11U));
  EXPECT_EQ(side(3000), std::pair(3000U, 1U));
}

}  // namespace
}  // namespace heed::draw
