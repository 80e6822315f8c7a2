#include "kernels/rows/loss.h"

#include <gtest/gtest.h>

#include <array>
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

// p = (1, 2, 5) / 8 and p' = (2, 2, 4) / 8: d = log p - log p' = (-log 2, 0, log 5/4).
class PairRows : public ::testing::Test {
 protected:
  RowLoss loss(const PairWeights& weights, float smoothing = 0) {
    return pair_loss_rows(one, other, 3, 1, smoothing, weights, true, scratch);
  }
  void expect_gradients(std::array<double, 3> first, std::array<double, 3> second) const {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(one[i], first[i], 1e-6) << i;
      EXPECT_NEAR(other[i], second[i], 1e-6) << i;
    }
  }

  float one[3] = {0, std::log(2.0F), std::log(5.0F)};
  float other[3] = {std::log(2.0F) + 3, std::log(2.0F) + 3, std::log(4.0F) + 3};
  float scratch[9];
  const double d[3] = {-std::log(2), 0, std::log(1.25)};
  const double forward = d[0] / 8 + 5 * d[2] / 8, backward = -d[0] / 4 - d[2] / 2;
};

TEST_F(PairRows, AreTwoRowsWhereNothingHasToAgree) {
  // H = (log 4 + log 4) / 2
  const RowLoss sum = loss({.first = 0.5, .second = 0.5});
  EXPECT_NEAR(sum.nll, std::log(4), 1e-6);
  EXPECT_NEAR(sum.smoothed, std::log(4), 1e-6);
  expect_gradients({0.0625, -0.375, 0.3125}, {0.125, -0.375, 0.25});
}

TEST_F(PairRows, AgreeForward) {
  const RowLoss sum = loss({.first = 0, .second = 0, .forward = 1});
  EXPECT_NEAR(sum.smoothed, forward, 1e-6);
  EXPECT_EQ(sum.nll, 0);
  expect_gradients({0.125 * (d[0] - forward), -0.25 * forward, 0.625 * (d[2] - forward)},
                   {0.125, 0, -0.125});
}

TEST_F(PairRows, AgreeBackward) {
  const RowLoss sum = loss({.first = 0, .second = 0, .backward = 1});
  EXPECT_NEAR(sum.smoothed, backward, 1e-6);
  expect_gradients({-0.125, 0, 0.125},
                   {0.25 * (-d[0] - backward), -0.25 * backward, 0.5 * (-d[2] - backward)});
}

TEST_F(PairRows, AddTheirTerms) {
  // q = 0.1, 0.8, 0.1 and -log p = log 8, log 4, log 1.6; -log p' = log 4, log 4, log 2
  const double h = 0.1 * std::log(8) + 0.8 * std::log(4) + 0.1 * std::log(1.6);
  const double other_h = 0.9 * std::log(4) + 0.1 * std::log(2);
  const RowLoss sum = loss({.first = 2, .second = 3, .forward = 5, .backward = 7}, 0.3F);
  EXPECT_NEAR(sum.smoothed, 2 * h + 3 * other_h + 5 * forward + 7 * backward, 1e-5);
  EXPECT_NEAR(sum.nll, 5 * std::log(4), 1e-5);
  EXPECT_NEAR(one[0], 2 * (0.125 - 0.1) + 5 * 0.125 * (d[0] - forward) - 7 * 0.125, 1e-5);
  EXPECT_NEAR(other[2], 3 * (0.5 - 0.1) - 5 * 0.125 + 7 * 0.5 * (-d[2] - backward), 1e-5);
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
