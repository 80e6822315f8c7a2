#include "study/exponent.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::study {
namespace {

TEST(FittedExponent, IsTheSlopeInLogarithms) {
  EXPECT_NEAR(fitted_exponent({1, 2, 4}, {3, 12, 48}), 2, 1e-12);
  EXPECT_NEAR(fitted_exponent({10, 1000}, {5, 5}), 0, 1e-12);
  // Least squares over x = 1, 2, 4 of y = 1, 2, 2: the slope of (0, 0), (1, 1), (2, 1).
  EXPECT_NEAR(fitted_exponent({1, 2, 4}, {1, 2, 2}), 0.5, 1e-12);
  EXPECT_THROW(fitted_exponent({3, 3}, {1, 2}), Bug);
}

}  // namespace
}  // namespace heed::study
