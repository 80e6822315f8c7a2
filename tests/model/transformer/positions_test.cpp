#include "model/transformer/positions.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace heed::model {
namespace {

TEST(Positions, SinusoidsAreThoseOfThePaper) {
  const Tensor table = sinusoids(0, 3, 4);
  // The exponent is 2i / 4, where 2i is the column: frequencies 1 and 1/100.
  const Tensor expected = at::tensor({0.0, 1.0, 0.0, 1.0,                      //
                                      0.84147, 0.54030, 0.0099998, 0.99995,    //
                                      0.90930, -0.41615, 0.0199987, 0.99980},  //
                                     at::kFloat)
                              .view({3, 4});
  EXPECT_TRUE(at::allclose(table, expected, 0, 1e-5)) << table;
}

TEST(Positions, SinusoidsAtWidth512HaveTheExponentOfTheColumn) {
  const Tensor row = sinusoids(10, 1, 512)[0];
  EXPECT_NEAR(row[256].item<double>(), std::sin(10 / 100.0), 1e-6);
  EXPECT_NEAR(row[511].item<double>(), std::cos(10 / std::pow(10000, 510.0 / 512)), 1e-6);
}

TEST(Positions, AnOddWidthEndsWithASine) {
  const Tensor table = sinusoids(1, 1, 3);
  EXPECT_EQ(table.size(1), 3);
  EXPECT_NEAR(table[0][2].item<double>(), std::sin(1 / std::pow(10000, 2.0 / 3)), 1e-6);
}

TEST(Positions, BeyondTheUsualLengthTheTableGoesOn) {
  const PositionTable table(&sinusoids, 6);
  EXPECT_TRUE(at::equal(table.rows(1020, 9), sinusoids(1020, 9, 6)));
  EXPECT_TRUE(at::equal(table.rows(5000, 1), sinusoids(5000, 1, 6)));
  EXPECT_TRUE(at::allclose(table.rows(1020, 4), sinusoids(1020, 4, 6)));
}

TEST(Positions, SinusoidalOnesAreNoWeightsAndNeverEnd) {
  const Positioning positions(Positions::sinusoidal, 6, 4);
  EXPECT_TRUE(positions.parameters().empty());
  EXPECT_TRUE(positions.buffers().empty());
  EXPECT_EQ(positions.longest(), std::numeric_limits<int64_t>::max());
  const Tensor added = positions.add(at::ones({2, 3, 6}), 7);
  EXPECT_TRUE(at::allclose(added[1], sinusoids(7, 3, 6) + 1));
}

TEST(Positions, LearnedOnesEndWithAClearError) {
  const Positioning positions(Positions::learned, 6, 4);
  EXPECT_EQ(positions.longest(), 4);
  EXPECT_TRUE(
      at::allclose(positions.add(at::zeros({1, 1, 6}), 3)[0][0], positions.parameters()[0][3]));
  try {
    positions.add(at::zeros({1, 3, 6}), 2);
    FAIL() << "five positions of four";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("5 pieces"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("model.max_positions"), std::string::npos);
  }
}

TEST(Positions, RotaryTurnsPairsByTheirAngle) {
  const Rotary rotary(4);
  const Tensor x = at::tensor({1.0, 0.0, 0.0, 2.0}, at::kFloat).view({1, 1, 1, 4});
  const Tensor turned = rotary.forward(x, 1).flatten();
  const Tensor expected = at::tensor(
      {std::cos(1.0), std::sin(1.0), -2 * std::sin(0.01), 2 * std::cos(0.01)}, at::kFloat);
  EXPECT_TRUE(at::allclose(turned, expected, 0, 1e-6)) << turned;
  EXPECT_TRUE(at::allclose(rotary.at_position(x, 1).flatten(), expected, 0, 1e-6));
}

TEST(Positions, RotaryProductsKnowTheDistanceAlone) {
  at::manual_seed(4);
  const Rotary rotary(6);
  const Tensor query = at::randn({1, 1, 1, 6}), key = at::randn({1, 1, 1, 6});
  const auto product = [&](int64_t at, int64_t other) {
    return (rotary.forward(query, at) * rotary.forward(key, other)).sum().item<double>();
  };
  EXPECT_NEAR(product(3, 1), product(902, 900), 1e-4);
  EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
}

TEST(Positions, TablesFollowTheirOwnerToDoublePrecision) {
  Rotary rotary(4);
  rotary.to(at::kDouble);
  EXPECT_EQ(rotary.forward(at::ones({1, 2, 1, 4}, at::kDouble), 0).scalar_type(), at::kDouble);
  Positioning positions(Positions::sinusoidal, 4, 1);
  positions.to(at::kDouble);
  EXPECT_EQ(positions.add(at::ones({1, 2, 4}, at::kDouble), 0).scalar_type(), at::kDouble);
}

TEST(Positions, RotaryNeedsAnEvenWidth) {
  EXPECT_THROW(Rotary(5), Bug);
}

}  // namespace
}  // namespace heed::model
