#include "kernels/rows/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/rows/random_numbers.h"

namespace heed::kernels {
namespace {

// 1, 2, 3, 6: mean 3, variance 3.5.
TEST(NormaliseRow, GivesTheWorkedNumbers) {
  const float x[] = {1, 2, 3, 6}, weight[] = {1, 1, 2, 1}, bias[] = {0, 0, 5, 1};
  const Moments moments = moments_of(x, 4, 0);
  EXPECT_EQ(moments.mean, 3);
  EXPECT_NEAR(moments.scale, 0.534522, 1e-6);
  float y[4] = {};
  normalise_row(x, moments, weight, bias, y, 4);
  EXPECT_NEAR(y[0], -1.069045, 1e-6);
  EXPECT_NEAR(y[1], -0.534522, 1e-6);
  EXPECT_NEAR(y[2], 5, 1e-6);
  EXPECT_NEAR(y[3], 2.603567, 1e-6);
}

TEST(NormaliseRow, HasTheGradientOfDifferences) {
  constexpr int64_t kWidth = 7;
  const auto x = random_numbers(kWidth, 1), weight = random_numbers(kWidth, 2),
             bias = random_numbers(kWidth, 3), outer = random_numbers(kWidth, 4);
  const auto loss = [&](const std::vector<float>& row) {
    double mean = 0, variance = 0, sum = 0;
    for (const float one : row) mean += one / static_cast<double>(kWidth);
    for (const float one : row) variance += (one - mean) * (one - mean) / kWidth;
    for (int64_t j = 0; j < kWidth; ++j)
      sum += outer[j] * ((row[j] - mean) / std::sqrt(variance + 1e-5) * weight[j] + bias[j]);
    return sum;
  };
  std::vector<float> inner(kWidth), to_weight(kWidth), to_bias(kWidth);
  normalise_row_gradient(x.data(), moments_of(x.data(), kWidth, 1e-5F), weight.data(), outer.data(),
                         inner.data(), to_weight.data(), to_bias.data(), kWidth);
  for (int64_t j = 0; j < kWidth; ++j) {
    auto more = x, less = x;
    more[j] += 0.01F;
    less[j] -= 0.01F;
    EXPECT_NEAR(inner[j], (loss(more) - loss(less)) / 0.02, 2e-3) << j;
    EXPECT_EQ(to_bias[j], outer[j]);
  }
}

}  // namespace
}  // namespace heed::kernels
