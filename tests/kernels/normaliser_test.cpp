// Normalisers make weights of scores: numbers worked by hand, what all promise, and gradients.
#include "kernels/normalisers/normaliser.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "model/gradient.h"

namespace heed::kernels {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

void expect_near(const Tensor& found, const std::vector<double>& expected) {
  const Tensor wanted = at::tensor(expected, at::kDouble);
  EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-12) << found << wanted;
}

TEST(Sparsemax, IsTheClosestPointOfTheSimplex) {
  const auto of = [](const std::vector<double>& scores) {
    return sparsemax(at::tensor(scores, at::kDouble));
  };
  expect_near(of({1, 0.5, -1}), {0.75, 0.25, 0});     // t = (1 + 0.5 - 1) / 2
  expect_near(of({0.3, 0.2, 0.5}), {0.3, 0.2, 0.5});  // a point of the simplex is its own
  expect_near(of({2, 0, 1}), {1, 0, 0});              // one ahead by 1 takes all
  expect_near(of({1, 1, 0.5, 0.2}), {0.5, 0.5, 0, 0});
}

TEST(Entmax15, IsTheSquareOfWhatIsAboveTheThreshold) {
  const auto of = [](const std::vector<double>& scores) {
    return entmax15(at::tensor(scores, at::kDouble));
  };
  expect_near(of({1.6, 1.2}), {0.64, 0.36});  // halves 0.8 and 0.6, t = 0
  expect_near(of({1.6, -5, 1.2}), {0.64, 0, 0.36});
  expect_near(of({7, 5}), {1, 0});  // ahead by 2
  expect_near(of({4, 4, 4, 4}), {0.25, 0.25, 0.25, 0.25});
}

TEST(Normalisers, OfEqualScoresAreAlike) {
  for (const int64_t count : {1, 3, 7})
    for (const Normaliser& one : normalisers()) {
      const Tensor weights = one.normalise(at::full({2, count}, -0.7, at::kDouble));
      EXPECT_LT((weights - 1.0 / static_cast<double>(count)).abs().max().item<double>(), 1e-12)
          << one.name;
    }
}

// The larger one of the scores 0 and d has 1 / (1 + e^-d), with sparsemax (1 + d) / 2 up to d = 1,
// and with entmax15 something between, which is 1 from d = 2 on.
TEST(Normalisers, OfTwoScoresEntmaxIsBetweenSoftmaxAndSparsemax) {
  for (const double d : {0.1, 0.5, 0.9, 1.0, 1.3, 1.9, 1.999, 2.0, 2.5, 40.0}) {
    const Tensor scores = at::tensor({0.0, d}, at::kDouble);
    const auto larger = [&](Normalise normalise) { return normalise(scores)[1].item<double>(); };
    EXPECT_NEAR(larger(&softmax), 1 / (1 + std::exp(-d)), 1e-12);
    EXPECT_NEAR(larger(&sparsemax), std::min(1.0, (1 + d) / 2), 1e-12);
    EXPECT_GT(larger(&entmax15), larger(&softmax) - (d >= 40 ? 1e-12 : 0)) << d;
    if (d < 2) {
      EXPECT_LT(larger(&entmax15), d < 1 ? larger(&sparsemax) : 1) << d;
    } else {
      EXPECT_EQ(larger(&entmax15), 1) << d;
    }
  }
}

class EveryNormaliser : public ::testing::TestWithParam<Normaliser> {
 protected:
  Tensor of(const Tensor& scores) const { return GetParam().normalise(scores); }
};

TEST_P(EveryNormaliser, MakesShares) {
  at::manual_seed(4);
  for (const double spread : {0.1, 1.0, 30.0})
    for (const auto type : {at::kDouble, at::kFloat}) {
      const Tensor scores = (at::randn({5, 3, 7}, at::kDouble) * spread).to(type);
      scores.select(2, 4).fill_(kNever);
      const Tensor weights = of(scores);
      EXPECT_EQ(weights.scalar_type(), type);
      EXPECT_TRUE(weights.ge(0).all().item<bool>());
      EXPECT_TRUE(weights.select(2, 4).eq(0).all().item<bool>());
      EXPECT_LT((weights.sum(-1) - 1).abs().max().item<double>(),
                type == at::kFloat ? 1e-6 : 1e-12);
      // Only differences count, and a larger score never has a smaller weight.
      EXPECT_LT((of(scores + 100) - weights).abs().max().item<double>(),
                type == at::kFloat ? 1e-4 : 1e-11);
      const Tensor order = scores.argsort(static_cast<int64_t>(-1), false);
      EXPECT_TRUE(weights.gather(-1, order).diff().ge(0).all().item<bool>());
    }
  EXPECT_EQ(of(at::tensor({kNever, -3.0, kNever}, at::kDouble))[1].item<double>(), 1);
  EXPECT_EQ(of(at::tensor({-1e30, 1e30}, at::kFloat))[1].item<double>(), 1);
}

TEST_P(EveryNormaliser, HasTheGradientOfDifferences) {
  at::manual_seed(5);
  for (const double spread : {0.2, 1.0, 4.0}) {
    Tensor scores = at::randn({4, 7}, at::kDouble) * spread;
    scores = scores.masked_fill(at::eye(4, 7, at::kDouble).to(at::kBool), kNever).requires_grad_();
    const Tensor pattern = at::randn({4, 7}, at::kDouble);
    const auto loss = [&] { return (of(scores) * pattern).sum(); };
    const Tensor gradient = model::testing::gradients_of(loss, {scores})[0];
    EXPECT_TRUE(gradient.isfinite().all().item<bool>());
    const Tensor entries = scores.detach().view(-1);
    for (int64_t i = 0; i < entries.numel(); ++i) {
      if (!entries[i].isfinite().item<bool>()) continue;
      const double slope = model::testing::central_difference(
          loss, [&](double by) { entries.select(0, i).add_(by); });
      EXPECT_NEAR(gradient.view(-1)[i].item<double>(), slope, 1e-7);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryNormaliser, ::testing::ValuesIn(normalisers()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Normalisers, AreFoundByName) {
  for (const Normaliser& one : normalisers()) {
    EXPECT_EQ(normaliser(one.name), one.normalise);
    EXPECT_EQ(is_softmax(one.normalise), std::string(one.name) == "softmax");
  }
  EXPECT_THROW(normaliser("softermax"), UserError);
}

}  // namespace
}  // namespace heed::kernels
