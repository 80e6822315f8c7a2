#include "kernels/rows/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::kernels {
namespace {

TEST(Vector, ExponentialIsWithinTwoUnitsInTheLastPlace) {
  for (float x = -86; x < 88; x += 0.037F) {
    const double exact = std::exp(static_cast<double>(x));
    EXPECT_NEAR(exponential(x) / exact, 1, 2.5e-7) << x;
  }
  EXPECT_EQ(exponential(0), 1);
  EXPECT_LT(exponential(-1000), 1e-37F);
}

TEST(Vector, LogisticAndTangentReachTheirEnds) {
  EXPECT_EQ(logistic(0), 0.5F);
  EXPECT_NEAR(logistic(2), 0.880797, 1e-6);
  EXPECT_NEAR(hyperbolic_tangent(-0.5F), -0.462117, 1e-6);
  EXPECT_EQ(hyperbolic_tangent(50), 1);
  EXPECT_EQ(hyperbolic_tangent(-50), -1);
}

TEST(Vector, Bf16RoundsToTheNearestEven) {
  EXPECT_EQ(widened(narrowed(1)), 1);
  EXPECT_EQ(widened(narrowed(1 + 1.0F / 256)), 1);               // halfway, down to even
  EXPECT_EQ(widened(narrowed(1 + 3.0F / 256)), 1 + 4.0F / 256);  // halfway, up to even
  EXPECT_EQ(widened(narrowed(-3.14159F)), -3.140625F);
}

}  // namespace
}  // namespace heed::kernels
