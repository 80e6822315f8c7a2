// Loops that move numbers and add them up: transposes, sums of columns, small products.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/rows/matrix.h"
#include "kernels/rows/numbers.h"
#include "kernels/rows/random_numbers.h"

namespace heed::kernels {
namespace {

TEST(TransposeRows, MovesEveryNumberOfAnyShape) {
  for (const int64_t rows : {1, 5, 16, 37})
    for (const int64_t columns : {1, 7, 16, 33}) {
      const auto x = random_numbers(rows * columns, 7);
      std::vector<float> y(x.size());
      for (int64_t begin = 0; begin < rows; begin += kTransposeBlock)
        transpose_rows(x.data(), y.data(), rows, columns, begin,
                       std::min(begin + kTransposeBlock, rows));
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          ASSERT_EQ(y[j * rows + i], x[i * columns + j]) << rows << " x " << columns;
    }
}

TEST(TransposeRows, ChangesTheTypeOnTheWay) {
  const float x[] = {1, 2, 3, -4, 0.5F, 7};
  uint16_t y[6] = {};
  transpose_rows(x, y, 2, 3, 0, 2);
  const float wanted[] = {1, -4, 2, 0.5F, 3, 7};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(widened(y[i]), wanted[i]);
}

TEST(SumStrip, AddsUpColumns) {
  const int64_t rows = 131, columns = 5, stride = 9;
  const auto x = random_numbers(rows * stride, 8);
  float total[5];
  sum_strip(x.data(), rows, stride, columns, total);
  for (int64_t j = 0; j < columns; ++j) {
    double wanted = 0;
    for (int64_t i = 0; i < rows; ++i) wanted += x[i * stride + j];
    EXPECT_NEAR(total[j], wanted, 1e-4) << j;
  }
}

TEST(SmallProductLoop, IsTheProductOrAddsIt) {
  for (const int64_t rows : {1, 2, 7, 13}) {
    const int64_t inner = 5, width = 48;
    const auto a = random_numbers(rows * inner, 9), b = random_numbers(inner * width, 10);
    std::vector<float> c(static_cast<std::size_t>(rows * width), 1);
    multiply({.a = {a.data(), inner},
              .b = {b.data(), width},
              .c = {c.data(), width},
              .rows = rows,
              .inner = inner,
              .width = width,
              .add = true});
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) {
        double wanted = 1;
        for (int64_t k = 0; k < inner; ++k) wanted += a[i * inner + k] * b[k * width + j];
        ASSERT_NEAR(c[i * width + j], wanted, 1e-5) << rows;
      }
  }
}

}  // namespace
}  // namespace heed::kernels
