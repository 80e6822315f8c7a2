// Linear attention: numbers worked by hand, chunks and steps against the matrix of shares.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/error.h"
#include "model/gradient.h"
#include "model/transformer/attention/linear.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

// f(0) = 1, f(1) = 2, f(-1) = 1/e. One head of width 1, three words with the keys 0, 1, 0 and the
// values 4, 7, 1: a query sees them as 1 : 2 : 1, whatever it is; the first alone 1, the first two
// 1 : 2.
TEST(LinearAttention, OfWidthOneSharesByTheKeys) {
  const auto column = [](const std::vector<double>& x) {
    return at::tensor(x, at::kDouble).view({1, 1, -1, 1});
  };
  const Tensor query = column({0, 1, -1}), keys = column({0, 1, 0}), values = column({4, 7, 1});
  const Tensor all = linear_attention(query, keys, values, {}).flatten();
  EXPECT_TRUE(at::allclose(all, at::full({3}, (4 + 14 + 1) / 4.0, at::kDouble)));
  const Tensor past =
      linear_attention(query, keys, values, {.pattern = {.causal = true}}).flatten();
  EXPECT_TRUE(at::allclose(past, at::tensor({4.0, 18.0 / 3, 19.0 / 4}, at::kDouble)));
}

Tensor pairs(const std::vector<double>& x) {
  return at::tensor(x, at::kDouble).view({1, 1, -1, 2});
}

// Rotations by 0 and a quarter turn, which makes (a, b) (-b, a). f(0) = 1 and f(1) = 2: queries
// (1, 1), keys (1, 1) and (2, 1). Query 0 sees key 1 as (-1, 2): products 2 and 1, over 2 + 3.
// Query 1 is (-1, 1): products 0 and 3, over the same.
TEST(LinearAttention, TurnsFeaturesAboveTheLineAlone) {
  const Tensor rotations =
      at::polar(at::ones({2, 1}, at::kDouble),
                at::tensor({0.0, std::acos(-1.0) / 2}, at::kDouble).view({2, 1}));
  const Tensor query = pairs({0, 0, 0, 0}), keys = pairs({0, 0, 1, 0});
  Tensor weights;
  linear_attention(query, keys, pairs({1, 0, 0, 1}), {}, rotations, &weights);
  const Tensor expected = at::tensor({2 / 5., 1 / 5., 0., 3 / 5.}, at::kDouble);
  EXPECT_LT((weights.flatten() - expected).abs().max().item<double>(), 1e-6) << weights;
  // Values (1, 0) and (0, 1) give the weights themselves.
  const Tensor fast = linear_attention(query, keys, pairs({1, 0, 0, 1}), {}, rotations);
  EXPECT_LT((fast.flatten() - expected).abs().max().item<double>(), 1e-12);
  // Key 0 alone: 2 / 2. Then 0 / 5 and 3 / 5.
  const Tensor past =
      linear_attention(query, keys, pairs({1, 0, 0, 1}), {.pattern = {.causal = true}}, rotations);
  EXPECT_LT(
      (past.flatten() - at::tensor({1., 0., 0., 3 / 5.}, at::kDouble)).abs().max().item<double>(),
      1e-12);
}

Tensor rotations(int64_t first, int64_t length, int64_t head) {
  return unit_rotations(first, length, head).to(at::kComplexDouble);
}

TEST(LinearAttention, WithRotationsKnowsTheDistanceAlone) {
  at::manual_seed(2);
  const auto draw = [] { return at::randn({2, 3, 5, 4}, at::kDouble); };
  const Tensor query = draw(), keys = draw(), values = draw();
  const auto from = [&](int64_t first) {
    return linear_attention(query, keys, values, {}, rotations(first, 5, 4));
  };
  EXPECT_LT((from(0) - from(211)).abs().max().item<double>(), 1e-4);  // the angles are of fp32
  EXPECT_GT((from(0) - linear_attention(query, keys, values, {})).abs().max().item<double>(), 1e-2);
}

// In fp32 e^x - 1 + 1 is 0 from about -17 on, and e^x itself from about -104 on.
TEST(LinearAttention, SharesOfVeryLowFeaturesAreStillShares) {
  at::manual_seed(8);
  const auto draw = [](double mean) { return at::randn({1, 2, 7, 4}) + mean; };
  for (const double mean : {-30., -200.})
    for (const bool causal : {false, true}) {
      const Tensor query = draw(mean).requires_grad_(), keys = draw(mean).requires_grad_(),
                   values = draw(0);
      Tensor weights;
      linear_attention(query, keys, values, {.pattern = {.causal = causal}}, {}, &weights);
      EXPECT_LT((weights.sum(-1) - 1).abs().max().item<double>(), 1e-5) << mean;
      const Tensor out = linear_attention(query, keys, values, {.pattern = {.causal = causal}});
      const Tensor wide = linear_attention(query.to(at::kDouble), keys.to(at::kDouble),
                                           values.to(at::kDouble), {.pattern = {.causal = causal}});
      EXPECT_LT((out - wide).abs().max().item<double>(), 1e-5) << mean;
      for (const Tensor& gradient : torch::autograd::grad({out.sum()}, {query, keys}))
        EXPECT_TRUE(at::isfinite(gradient).all().item<bool>()) << mean;
    }
}

TEST(LinearAttention, GradientsAreThoseOfDifferences) {
  at::manual_seed(9);
  const auto draw = [](int64_t heads) {
    return (at::randn({2, heads, 3, 4}, at::kDouble) * 2).requires_grad_();
  };
  const Tensor query = draw(2), keys = draw(1), values = draw(1);
  const Tensor pattern = at::randn({2, 2, 3, 4}, at::kDouble);
  for (const bool causal : {false, true})
    for (const Tensor& turns : {Tensor(), rotations(0, 3, 4)}) {
      const auto loss = [&] {
        return (linear_attention(query, keys, values, {.pattern = {.causal = causal}}, turns) *
                pattern)
            .sum();
      };
      for (const Tensor& leaf : {query, keys, values})
        EXPECT_LT(testing::check_entries(leaf, loss).error, 1e-7) << causal << turns.defined();
    }
}

struct LinearShape {
  int64_t batch, heads, kv_heads, length, head;
  bool turned = false;
};

class LinearAttention : public ::testing::TestWithParam<LinearShape> {
 protected:
  void SetUp() override {
    at::manual_seed(3);
    const LinearShape s = GetParam();
    const auto draw = [&](int64_t heads) {
      return at::randn({s.batch, heads, s.length, s.head}, at::kDouble).requires_grad_();
    };
    query = draw(s.heads);
    keys = draw(s.kv_heads);
    values = draw(s.kv_heads);
    if (s.turned) turns = rotations(0, s.length, s.head);
  }
  std::vector<Tensor> gradients(const Tensor& out) const {
    at::manual_seed(4);
    return torch::autograd::grad({(out * at::randn(out.sizes(), at::kDouble)).sum()},
                                 {query, keys, values});
  }
  void expect_equal_to_shares(const AttentionMask& masking) const {
    Tensor weights;
    const Tensor plain = linear_attention(query, keys, values, masking, turns, &weights);
    const Tensor fast = linear_attention(query, keys, values, masking, turns);
    EXPECT_LT((plain - fast).abs().max().item<double>(), 1e-10);
    if (!GetParam().turned) {
      EXPECT_LT((weights.sum(-1) - 1).abs().max().item<double>(), 1e-5);
      EXPECT_TRUE(weights.ge(0).all().item<bool>());
    }
    const auto expected = gradients(plain), got = gradients(fast);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT((expected[i] - got[i]).abs().max().item<double>(), 1e-8) << i;
  }
  Tensor query, keys, values, turns;
};

TEST_P(LinearAttention, EqualsTheMatrixOfShares) {
  expect_equal_to_shares({});
}

TEST_P(LinearAttention, InChunksEqualsTheTriangle) {
  expect_equal_to_shares({.pattern = {.causal = true}});
}

TEST_P(LinearAttention, PaddingHasNoShare) {
  const LinearShape s = GetParam();
  const Tensor lengths = at::clamp_min(s.length - 2 * at::arange(s.batch), 1).view({-1, 1, 1, 1});
  const AttentionMask masking{.valid = at::arange(s.length).view({1, 1, 1, -1}) < lengths};
  expect_equal_to_shares(masking);
  Tensor weights;
  linear_attention(query, keys, values, masking, turns, &weights);
  EXPECT_EQ(weights.masked_select(masking.valid.logical_not()).abs().sum().item<double>(), 0);
}

TEST_P(LinearAttention, StepByStepEqualsTheWhole) {
  const at::NoGradGuard no_grad;
  const Tensor whole = linear_attention(query, keys, values, {.pattern = {.causal = true}}, turns);
  LinearSums sums;
  for (int64_t t = 0; t < query.size(2); ++t) {
    const Tensor now = linear_step(query.select(2, t), keys.select(2, t), values.select(2, t), sums,
                                   turns.defined() ? turns.narrow(0, t, 1) : Tensor());
    EXPECT_LT((now - whole.select(2, t)).abs().max().item<double>(), 1e-10) << t;
    const int64_t heads = keys.size(0) * keys.size(1), head = keys.size(3);
    EXPECT_EQ(sums.products.numel() + sums.keys.numel(), heads * head * (head + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LinearAttention,
    ::testing::Values(LinearShape{2, 3, 3, 7, 5}, LinearShape{1, 4, 2, 64, 3},
                      LinearShape{3, 2, 1, 65, 4}, LinearShape{2, 2, 2, 131, 3},
                      LinearShape{1, 1, 1, 1, 1}, LinearShape{2, 3, 3, 7, 6, true},
                      LinearShape{3, 2, 1, 65, 4, true}, LinearShape{2, 2, 2, 131, 2, true}),
    [](const auto& info) {
      return "n" + std::to_string(info.param.length) + (info.param.turned ? "_turned" : "");
    });

TEST(LinearAttention, HasNoScoresToAddTo) {
  const Tensor x = at::randn({1, 1, 3, 2});
  EXPECT_THROW(linear_attention(x, x, x, {.added = at::zeros({1, 1, 3, 3})}), Bug);
}

}  // namespace
}  // namespace heed::model
