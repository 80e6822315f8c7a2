// Linear attention: numbers worked by hand, chunks and steps against the matrix of shares.
#include "model/transformer/linear_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

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
  const Tensor past = linear_attention(query, keys, values, {.causal = true}).flatten();
  EXPECT_TRUE(at::allclose(past, at::tensor({4.0, 18.0 / 3, 19.0 / 4}, at::kDouble)));
}

struct Shape {
  int64_t batch, heads, kv_heads, length, head;
};

class LinearAttention : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    at::manual_seed(3);
    const Shape s = GetParam();
    const auto draw = [&](int64_t heads) {
      return at::randn({s.batch, heads, s.length, s.head}, at::kDouble).requires_grad_();
    };
    query = draw(s.heads);
    keys = draw(s.kv_heads);
    values = draw(s.kv_heads);
  }
  std::vector<Tensor> gradients(const Tensor& out) const {
    at::manual_seed(4);
    return torch::autograd::grad({(out * at::randn(out.sizes(), at::kDouble)).sum()},
                                 {query, keys, values});
  }
  void expect_equal_to_shares(const Look& look) const {
    Tensor weights;
    const Tensor plain = linear_attention(query, keys, values, look, &weights);
    const Tensor fast = linear_attention(query, keys, values, look);
    EXPECT_LT((plain - fast).abs().max().item<double>(), 1e-10);
    EXPECT_LT((weights.sum(-1) - 1).abs().max().item<double>(), 1e-5);
    EXPECT_TRUE(weights.ge(0).all().item<bool>());
    const auto expected = gradients(plain), got = gradients(fast);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT((expected[i] - got[i]).abs().max().item<double>(), 1e-8) << i;
  }
  Tensor query, keys, values;
};

TEST_P(LinearAttention, EqualsTheMatrixOfShares) {
  expect_equal_to_shares({});
}

TEST_P(LinearAttention, InChunksEqualsTheTriangle) {
  expect_equal_to_shares({.causal = true});
}

TEST_P(LinearAttention, PaddingHasNoShare) {
  const Shape s = GetParam();
  const Tensor lengths = at::clamp_min(s.length - 2 * at::arange(s.batch), 1).view({-1, 1, 1, 1});
  const Look look{.valid = at::arange(s.length).view({1, 1, 1, -1}) < lengths};
  expect_equal_to_shares(look);
  Tensor weights;
  linear_attention(query, keys, values, look, &weights);
  EXPECT_EQ(weights.masked_select(look.valid.logical_not()).abs().sum().item<double>(), 0);
}

TEST_P(LinearAttention, StepByStepEqualsTheWhole) {
  const at::NoGradGuard no_grad;
  const Tensor whole = linear_attention(query, keys, values, {.causal = true});
  Tensor sums;
  for (int64_t t = 0; t < query.size(2); ++t) {
    const Tensor now =
        linear_step(query.select(2, t), keys.select(2, t), values.select(2, t), sums);
    EXPECT_LT((now - whole.select(2, t)).abs().max().item<double>(), 1e-10) << t;
    EXPECT_EQ(sums.numel(), keys.size(0) * keys.size(1) * keys.size(3) * (keys.size(3) + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearAttention,
                         testing::Values(Shape{2, 3, 3, 7, 5}, Shape{1, 4, 2, 64, 3},
                                         Shape{3, 2, 1, 65, 4}, Shape{2, 2, 2, 131, 3},
                                         Shape{1, 1, 1, 1, 1}),
                         [](const auto& info) { return "n" + std::to_string(info.param.length); });

}  // namespace
}  // namespace heed::model
