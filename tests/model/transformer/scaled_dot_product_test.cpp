#include "model/transformer/attention/scaled_dot_product.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "model/device.h"

namespace heed::model {
namespace {

Tensor head_of(std::initializer_list<std::initializer_list<double>> rows) {
  std::vector<Tensor> stacked;
  for (const auto& row : rows) stacked.push_back(at::tensor(std::vector<double>(row)));
  return at::stack(stacked).to(at::kFloat).unsqueeze(0).unsqueeze(0);  // [1, 1, rows, columns]
}

const Tensor kQuery = head_of({{1, 0, 1}, {0, 1, 1}, {1, 1, 0}});
const Tensor kKeys = head_of({{1, 1, 0}, {0, 1, 1}, {1, 0, 1}});

Tensor weights_of(const AttentionMask& masking) {
  Tensor weights;
  attend(kQuery, kKeys, kKeys, masking, &weights);
  return weights[0][0];
}

TEST(Kernel, GivesTheWorkedWeightsOfThreeByThree) {
  // Q K^T = [[1, 1, 2], [1, 2, 1], [2, 1, 1]].
  const Tensor weights = weights_of({.scale = 1 / std::sqrt(3.0)});
  constexpr double kOne = 0.264458, kTwo = 0.471084;  // e^(1/sqrt 3) and e^(2/sqrt 3), shared out
  const Tensor expected =
      at::tensor({kOne, kOne, kTwo, kOne, kTwo, kOne, kTwo, kOne, kOne}, at::kFloat);
  EXPECT_TRUE(at::allclose(weights.flatten(), expected, 0, 1e-5)) << weights;
}

TEST(Kernel, UnscaledScoresAreTheProducts) {
  // Known up to a constant for each row, whose smallest product is 1.
  const Tensor logs = weights_of({.scale = 1}).log();
  const Tensor expected = head_of({{1, 1, 2}, {1, 2, 1}, {2, 1, 1}})[0][0];
  EXPECT_TRUE(at::allclose(logs - logs.amin(-1, true) + 1, expected, 0, 1e-5)) << logs;
}

TEST(Kernel, MaskedWeightsAreExactlyZero) {
  const Tensor valid = at::tensor({1, 0, 1}).to(at::kBool).view({1, 1, 1, 3});
  const Tensor weights = weights_of({.valid = valid});
  EXPECT_EQ(weights.select(1, 1).abs().max().item<float>(), 0.0F);
  EXPECT_TRUE(at::allclose(weights.sum(-1), at::ones({3})));
}

TEST(Kernel, CausalWeightsAreALowerTriangle) {
  const Tensor weights = weights_of({.pattern = {.causal = true}});
  EXPECT_EQ(weights.triu(1).abs().max().item<float>(), 0.0F);
  EXPECT_EQ(weights[0][0].item<float>(), 1.0F);
  EXPECT_NEAR(weights[1][1].item<double>(), std::exp(1.0) / (1 + std::exp(1.0)), 1e-6);
}

TEST(Kernel, WindowMaskReachesSoFarOnBothSides) {
  const Tensor seen = pattern_mask({.window = 1}, 5, at::kCPU).sum(1);
  EXPECT_TRUE(at::equal(seen, at::tensor({2, 3, 3, 3, 2}, at::kLong)));
}

struct PathShape {
  int64_t batch, heads, kv_heads, query, keys, head;
};

class Paths : public ::testing::TestWithParam<PathShape> {
 protected:
  void compare(AttentionMask masking) {
    const PathShape s = GetParam();
    masking.scale = 1 / std::sqrt(static_cast<double>(s.head));
    Tensor weights;
    const Tensor plain = attend(query, keys, values, masking, &weights);
    EXPECT_TRUE(at::allclose(attend(query, keys, values, masking), plain, 0, 1e-5));
    EXPECT_EQ(weights.sizes(), at::IntArrayRef({s.batch, s.heads, s.query, keys.size(2)}));
    EXPECT_TRUE(at::allclose(weights.sum(-1), at::ones({s.batch, s.heads, s.query})));
  }
  void SetUp() override {
    at::manual_seed(1);
    const PathShape s = GetParam();
    query = at::randn({s.batch, s.heads, s.query, s.head});
    keys = at::randn({s.batch, s.kv_heads, s.keys, s.head});
    values = at::randn({s.batch, s.kv_heads, s.keys, s.head});
  }
  Tensor query, keys, values;
};

TEST_P(Paths, FusedEqualsPlain) {
  compare({});
}

TEST_P(Paths, FusedEqualsPlainWithPadding) {
  const PathShape s = GetParam();
  const Tensor lengths = at::arange(1, s.batch + 1).view({-1, 1, 1, 1});
  compare({.valid = at::arange(s.keys).view({1, 1, 1, -1}) < lengths});
}

TEST_P(Paths, FusedEqualsPlainWhenCausal) {
  keys = keys.narrow(2, 0, query.size(2));
  values = values.narrow(2, 0, query.size(2));
  compare({.pattern = {.causal = true}});
}

INSTANTIATE_TEST_SUITE_P(OddShapes, Paths,
                         ::testing::Values(PathShape{3, 4, 4, 5, 5, 7}, PathShape{3, 4, 2, 7, 7, 3},
                                           PathShape{2, 6, 1, 5, 5, 8},
                                           PathShape{3, 6, 2, 3, 11, 5},
                                           PathShape{1, 1, 1, 1, 1, 1}),
                         [](const auto& info) {
                           const auto& at = info.param;
                           return std::string("heads") + std::to_string(at.heads) + "_" +
                                  std::string("kv") + std::to_string(at.kv_heads) + "_" +
                                  std::string("queries") + std::to_string(at.query) + "_" +
                                  std::string("keys") + std::to_string(at.keys);
                         });

// With one-hot values the context is the weights, rounded to bf16 when it is written.
TEST(Kernel, InBf16TheWeightsShownAreThoseOfTheFusedPath) {
  at::manual_seed(4);
  const auto rows = [](int64_t heads, int64_t length) {
    return (3 * at::randn({3, heads, length, 16})).to(at::kBFloat16);
  };
  const Tensor query = rows(4, 13), keys = rows(2, 13);
  const Tensor one_hot = at::eye(13, 16).to(at::kBFloat16).expand({3, 2, 13, 16});
  const Tensor lengths = at::tensor({13, 5, 1}, at::kLong).view({3, 1, 1, 1});
  const Tensor valid = at::arange(13).view({1, 1, 1, -1}) < lengths;
  const Tensor added = 20 * at::randn({1, 4, 13, 13});  // in bf16 they would be up to 1/8 off
  const Autocast autocast(at::kCPU, at::kBFloat16);
  for (const double scale : {0.25, 1.0})
    for (const AttentionMask& masking :
         {AttentionMask{.valid = valid, .scale = scale},
          AttentionMask{.pattern = {.causal = true}, .scale = scale},
          AttentionMask{.valid = valid, .scale = scale, .added = added}}) {
      Tensor weights, exact;
      const Tensor plain = attend(query, keys, one_hot, masking, &weights);
      attend(query.to(at::kDouble), keys.to(at::kDouble), one_hot.to(at::kDouble), masking, &exact);
      EXPECT_LT((weights - exact).abs().max().item<double>(), 1e-5);
      const Tensor fused = attend(query, keys, one_hot, masking);
      EXPECT_EQ(plain.scalar_type(), fused.scalar_type());
      const Tensor used = fused.narrow(-1, 0, 13).to(at::kFloat);
      const Tensor most = weights.argmax(-1, true);
      EXPECT_TRUE(used.gather(-1, most).equal(used.amax(-1, true)));
      // Half a unit in the last place; LibTorch's call rounds the weights, too.
      const double rounding = (masking.added.defined() ? 2 : 1) / 256.0;
      EXPECT_TRUE(at::allclose(used, weights, rounding, 1e-5));
      EXPECT_TRUE(at::allclose(fused.to(at::kFloat), plain.to(at::kFloat), 2 * rounding, 1e-5));
    }
}

TEST(Kernel, SharedHeadsServeNeighbours) {
  at::manual_seed(2);
  const Tensor query = at::randn({1, 4, 3, 5}), keys = at::randn({1, 2, 3, 5});
  const Tensor expanded = keys.index_select(1, at::tensor({0, 0, 1, 1}));
  EXPECT_TRUE(
      at::allclose(attend(query, keys, keys, {}), attend(query, expanded, expanded, {}), 0, 1e-6));
}

TEST(Kernel, DropoutKeepsTheMeanAndHidesNothingFromTheWeights) {
  at::manual_seed(3);
  const Tensor query = at::zeros({1, 1, 200, 3}), ones = at::ones({1, 1, 50, 3});
  Tensor weights;
  const Tensor out = attend(query, ones, ones, {.dropout = 0.5}, &weights);
  EXPECT_TRUE(at::allclose(weights, at::full({1, 1, 200, 50}, 0.02)));
  EXPECT_NEAR(out.mean().item<double>(), 1, 0.05);
  EXPECT_GT(out.std().item<double>(), 0.05);
}

/// Variance, mean entropy of the softmax (in bits) and mean size of its gradient.
struct Spread {
  double variance, entropy, gradient;
};

Spread spread_of_products(int64_t width, double scale) {
  at::manual_seed(width);
  const Tensor query = at::randn({400, width}), keys = at::randn({64, width});
  const Tensor scores = query.mm(keys.t()) * scale;
  const Tensor shares = at::softmax(scores, -1);
  const Tensor entropy = -(shares * shares.clamp_min(1e-30).log2()).sum(-1).mean();
  return {scores.var().item<double>(), entropy.item<double>(),
          (shares * (1 - shares)).mean().item<double>()};
}

TEST(Kernel, ProductsHaveTheVarianceOfTheWidthUnlessScaled) {
  double last_entropy = 6;
  for (const int64_t width : {64, 256, 1024}) {
    const auto d = static_cast<double>(width);
    const Spread raw = spread_of_products(width, 1),
                 scaled = spread_of_products(width, 1 / std::sqrt(d));
    EXPECT_NEAR(raw.variance / d, 1, 0.1);
    EXPECT_NEAR(scaled.variance, 1, 0.1);
    EXPECT_NEAR(scaled.entropy, 5.3, 0.15);  // of at most 6 bits, at any width
    EXPECT_LT(raw.entropy, last_entropy);    // ever more certain, ever less to learn from
    EXPECT_LT(raw.gradient, scaled.gradient / 2);
    last_entropy = raw.entropy;
  }
  EXPECT_LT(last_entropy, 0.5);
}

TEST(Kernel, RefusesHeadsThatDoNotDivide) {
  EXPECT_THROW(attend(at::ones({1, 3, 1, 2}), at::ones({1, 2, 1, 2}), at::ones({1, 2, 1, 2}), {}),
               Bug);
}

}  // namespace
}  // namespace heed::model
