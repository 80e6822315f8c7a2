#include "kernels/rows/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed::kernels {
namespace {

// Softmax of log 1, log 2, log 5 is 1/8, 2/8, 5/8.
TEST(SoftmaxRow, GivesTheWorkedLossAndGradient) {
  float row[] = {0, std::log(2.0F), std::log(5.0F)};
  const RowLoss loss = loss_row(row, 3, 1, 0, true);
  EXPECT_NEAR(loss.nll, std::log(4.0), 1e-6);
  EXPECT_EQ(loss.smoothed, loss.nll);
  EXPECT_NEAR(row[0], 0.125, 1e-6);
  EXPECT_NEAR(row[1], 0.25 - 1, 1e-6);
  EXPECT_NEAR(row[2], 0.625, 1e-6);
}

TEST(SoftmaxRow, SmoothsOverAllPieces) {
  float row[] = {0, std::log(2.0F), std::log(5.0F)};
  const RowLoss loss = loss_row(row, 3, 1, 0.3F, true);
  // q = 0.1, 0.8, 0.1 and -log p = log 8, log 4, log 1.6
  EXPECT_NEAR(loss.smoothed, 0.1 * std::log(8) + 0.8 * std::log(4) + 0.1 * std::log(1.6), 1e-6);
  EXPECT_NEAR(loss.nll, std::log(4.0), 1e-6);
  EXPECT_NEAR(row[0], 0.125 - 0.1, 1e-6);
  EXPECT_NEAR(row[1], 0.25 - 0.8, 1e-6);
  EXPECT_NEAR(row[2], 0.625 - 0.1, 1e-6);
}

TEST(SoftmaxRow, DoesNotOverflowAndSaysWhereNothingIsANumber) {
  float large[] = {3e38F, -3e38F, 3e38F};
  EXPECT_NEAR(loss_row(large, 3, 0, 0, true).nll, std::log(2.0), 1e-6);
  EXPECT_NEAR(large[1], 0, 1e-37);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    float row[] = {1, bad, 2};
    EXPECT_TRUE(std::isnan(loss_row(row, 3, 0, 0.1F, true).smoothed));
  }
}

}  // namespace
}  // namespace heed::kernels
