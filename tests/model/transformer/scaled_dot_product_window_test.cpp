// Blocks see what a mask would let them see.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "kernels/dropout.h"
#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::model {
namespace {

struct WindowShape {
  int64_t batch, heads, kv_heads, length, head, window;
};

class Blocks : public ::testing::TestWithParam<WindowShape> {
 protected:
  void SetUp() override {
    at::manual_seed(5);
    const WindowShape s = GetParam();
    const auto options = at::TensorOptions(at::kDouble);
    query = at::randn({s.batch, s.heads, s.length, s.head}, options).requires_grad_();
    keys = at::randn({s.batch, s.kv_heads, s.length, s.head}, options).requires_grad_();
    values = at::randn({s.batch, s.kv_heads, s.length, s.head}, options).requires_grad_();
    masking = {.pattern = {.window = s.window},
               .scale = 1 / std::sqrt(static_cast<double>(s.head))};
  }

  /// Sentence b has lost its last 40 b positions.
  Tensor valid() const {
    const WindowShape s = GetParam();
    const Tensor lengths = s.length - 40 * at::arange(s.batch).view({-1, 1, 1, 1});
    return at::arange(s.length).view({1, 1, 1, -1}) < lengths;
  }

  void expect_equal_to_plain(const Tensor& weight) {
    Tensor weights;
    const Tensor plain = attend(query, keys, values, masking, &weights);
    const Tensor blocks = attend_in_blocks(query, keys, values, masking);
    EXPECT_LT((blocks - plain).abs().max().item<double>(), 1e-12);
    const auto gradients = [&](const Tensor& out) {
      return torch::autograd::grad({(out * weight).sum()}, {query, keys, values});
    };
    const auto expected = gradients(plain), got = gradients(blocks);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT((got[i] - expected[i]).abs().max().item<double>(), 1e-12) << i;
  }
  Tensor anything() const { return at::randn(query.sizes(), query.options()); }

  Tensor query, keys, values;
  AttentionMask masking;
};

TEST_P(Blocks, EqualTheMaskedProduct) {
  expect_equal_to_plain(anything());
}

TEST_P(Blocks, EqualTheMaskedProductWhenCausal) {
  masking.pattern.causal = true;
  expect_equal_to_plain(anything());
}

TEST_P(Blocks, EqualTheMaskedProductWithPadding) {
  masking.valid = valid();
  expect_equal_to_plain(anything());
}

TEST_P(Blocks, NeverReadPadding) {
  masking.valid = valid();
  const Tensor before = attend_in_blocks(query, keys, values, masking);
  const Tensor padding = masking.valid.transpose(2, 3).logical_not();
  const auto spoilt = [&](const Tensor& x) { return x.detach().masked_fill(padding, 1e6); };
  const Tensor after = attend_in_blocks(query, spoilt(keys), spoilt(values), masking);
  const Tensor real = masking.valid.transpose(2, 3).to(at::kDouble);
  EXPECT_EQ(((after - before) * real).abs().max().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(OddShapes, Blocks,
                         ::testing::Values(WindowShape{1, 1, 1, 97, 3, 1},
                                           WindowShape{3, 4, 2, 131, 5, 7},
                                           WindowShape{2, 3, 1, 256, 7, 33},
                                           WindowShape{3, 2, 2, 199, 3, 40}),
                         [](const auto& info) {
                           const auto& at = info.param;
                           return std::string("heads") + std::to_string(at.heads) + "_" +
                                  std::string("kv") + std::to_string(at.kv_heads) + "_" +
                                  std::string("length") + std::to_string(at.length) + "_" +
                                  std::string("window") + std::to_string(at.window);
                         });

TEST(SlidingWindow, TakesBlocksOnlyWhereTheyAreLessWork) {
  EXPECT_FALSE(should_use_blocks(100, {.pattern = {.window = 16}}));
  EXPECT_TRUE(should_use_blocks(128, {.pattern = {.window = 16}}));  // 2 (16 + 32 + 16)
  EXPECT_TRUE(should_use_blocks(8192, {.pattern = {.window = 128}}));
  EXPECT_FALSE(should_use_blocks(8192, {.pattern = {.window = 4000}}));
}

TEST(SlidingWindow, AttendTakesTheSameWeightsOnEitherPath) {
  at::manual_seed(6);
  const Tensor x = at::randn({2, 2, 150, 4});
  for (const bool causal : {false, true}) {
    Tensor weights;
    const AttentionMask masking{.pattern = {.window = 5, .causal = causal}, .scale = 0.5};
    const Tensor plain = attend(x, x, x, masking, &weights);
    EXPECT_TRUE(at::allclose(attend(x, x, x, masking), plain, 0, 1e-5));
    const Tensor near = mask_tensor(masking, 150, at::kCPU);
    EXPECT_EQ(weights.masked_select(near.logical_not()).abs().max().item<float>(), 0);
    EXPECT_EQ((weights > 0).sum(-1).max().item<int64_t>(), causal ? 6 : 11);
  }
}

// On every path: of all, in blocks, and with added scores.
TEST(SlidingWindow, DropoutFollowsFromTheDrawsOfTheThreadAlone) {
  at::manual_seed(7);
  const Tensor x = at::randn({1, 2, 150, 4});
  for (const AttentionMask& masking :
       {AttentionMask{.dropout = 0.3}, AttentionMask{.pattern = {.window = 5}, .dropout = 0.3},
        AttentionMask{.dropout = 0.3, .added = at::zeros({1, 1, 150, 150})}}) {
    const auto run = [&](uint64_t seed, uint64_t of_process) {
      at::manual_seed(of_process);
      const kernels::Draws draws(seed);
      return attend(x, x, x, masking);
    };
    EXPECT_TRUE(at::equal(run(1, 1), run(1, 2)));
    EXPECT_FALSE(at::equal(run(1, 1), run(2, 1)));
  }
}

}  // namespace
}  // namespace heed::model
