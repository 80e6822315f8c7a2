// Weights of scores by hand, and the loops of one decoding step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/rows/additive.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/normalisers.h"
#include "kernels/rows/random_numbers.h"

namespace heed::kernels {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::IsNan;

std::vector<float> weights_of(const char* name, std::vector<float> scores) {
  row_normaliser(name)(scores.data(), std::ssize(scores));
  return scores;
}

TEST(RowNormaliser, IsSoftmax) {
  EXPECT_THAT(
      weights_of("softmax", {std::log(1.0F), std::log(3.0F), std::log(4.0F)}),
      ElementsAre(FloatNear(0.125F, 1e-6F), FloatNear(0.375F, 1e-6F), FloatNear(0.5F, 1e-6F)));
}

// The two largest have a weight: 1 + 2 * 0.5 > 1.5, and t = (1.5 - 1) / 2.
TEST(RowNormaliser, IsSparsemax) {
  EXPECT_THAT(weights_of("sparsemax", {0.5F, -1, 1}),
              ElementsAre(FloatEq(0.25F), FloatEq(0), FloatEq(0.75F)));
  EXPECT_THAT(weights_of("sparsemax", {30, 2, 1}), ElementsAre(FloatEq(1), FloatEq(0), FloatEq(0)));
}

// The steps of entmax for z / 2 = 0.5, 0: M = 0.25, S = 0.125, t = 0.25 - sqrt(0.4375).
TEST(RowNormaliser, IsEntmax) {
  EXPECT_THAT(weights_of("entmax15", {1, 0}),
              ElementsAre(FloatNear(0.830719F, 1e-6F), FloatNear(0.169281F, 1e-6F)));
  EXPECT_THAT(weights_of("entmax15", {0, 2, -50}),
              ElementsAre(FloatNear(0, 1e-6F), FloatNear(1, 1e-6F), FloatEq(0)));
}

TEST(RowNormaliser, OneScoreGetsAllAndNoNumberStaysNone) {
  for (const char* name : {"softmax", "sparsemax", "entmax15"}) {
    EXPECT_THAT(weights_of(name, {-7}), ElementsAre(FloatEq(1))) << name;
    EXPECT_THAT(weights_of(name, {1, std::numeric_limits<float>::quiet_NaN(), 2}), Each(IsNan()))
        << name;
  }
  EXPECT_EQ(row_normaliser("hardmax"), nullptr);
}

TEST(StepLoops, AreTheirEquations) {
  const float x[] = {1, 2, 3}, rows[] = {1, 0, -1, 0.5F, 0.5F, 0.5F};
  float scores[2], mixed[3];
  dot_rows(x, rows, 2, 3, scores);
  EXPECT_THAT(scores, ElementsAre(FloatEq(-2), FloatEq(3)));
  mix_rows(std::vector<float>{0.25F, 0.5F}.data(), rows, 2, 3, mixed);
  EXPECT_THAT(mixed, ElementsAre(FloatEq(0.5F), FloatEq(0.25F), FloatEq(0)));
  std::vector<float> angles = random_numbers(19, 3);
  for (float& angle : angles) {
    float tangent = angle;
    tangents(&tangent, 1);
    EXPECT_NEAR(tangent, std::tanh(angle), 1e-6);
  }
}

TEST(AdditiveRow, ScoresByEitherWay) {
  constexpr int64_t kSource = 3, kHidden = 5;
  const auto query = random_numbers(kHidden, 1), keys = random_numbers(kSource * kHidden, 2),
             v = random_numbers(kHidden, 3);
  std::vector<float> query_2x(kHidden), keys_2x(kSource * kHidden);
  ASSERT_TRUE(exp_2x(query.data(), query_2x.data(), kHidden));
  ASSERT_TRUE(exp_2x(keys.data(), keys_2x.data(), kSource * kHidden));
  float plain[kSource], fast[kSource];
  const AdditiveSize size{.source = kSource, .hidden = kHidden, .memory = 0};
  additive_row_scores({query.data(), keys.data()}, v.data(), plain, size);
  additive_row_scores({query_2x.data(), keys_2x.data(), true}, v.data(), fast, size);
  for (int64_t i = 0; i < kSource; ++i) {
    double wanted = 0;
    for (int64_t j = 0; j < kHidden; ++j)
      wanted += v[j] * std::tanh(query[j] + keys[i * kHidden + j]);
    EXPECT_NEAR(plain[i], wanted, 1e-5);
    EXPECT_NEAR(fast[i], wanted, 1e-5);
  }
}

}  // namespace
}  // namespace heed::kernels
