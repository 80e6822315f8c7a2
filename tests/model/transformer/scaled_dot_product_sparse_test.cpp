// Sparse patterns in blocks see what their mask would let them see.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::model {
namespace {

// Seven positions, a window of 1, position 0 for everybody, every third position.
TEST(SparsePattern, IsTheWindowTheFirstPositionsAndTheColumns) {
  const kernels::Pattern pattern{.window = 1, .global = 1, .stride = 3};
  const Tensor seen = pattern_mask(pattern, 7, at::kCPU);
  const auto row = [&](int64_t i) {
    std::string text;
    for (int64_t j = 0; j < 7; ++j) text += seen[i][j].item<bool>() ? 'x' : '.';
    return text;
  };
  EXPECT_EQ(row(0), "xxxxxxx");
  EXPECT_EQ(row(1), "xxx.x..");
  EXPECT_EQ(row(2), "xxxx.x.");
  EXPECT_EQ(row(3), "x.xxx.x");
  EXPECT_EQ(row(6), "x..x.xx");
  for (int64_t i = 0; i < 7; ++i)
    for (int64_t j = 0; j < 7; ++j)
      EXPECT_EQ(pattern.sees(i, j), seen[i][j].item<bool>()) << i << " " << j;
}

struct SparseShape {
  const char* name;
  int64_t batch, heads, kv_heads, length, window, global, stride;
};
void PrintTo(const SparseShape& shape, std::ostream* out) {
  *out << shape.name;
}

class SparseAttention : public ::testing::TestWithParam<SparseShape> {
 protected:
  void SetUp() override {
    at::manual_seed(5);
    const SparseShape s = GetParam();
    const auto draw = [&](int64_t heads) {
      return at::randn({s.batch, heads, s.length, 3}, at::kDouble).requires_grad_();
    };
    query = draw(s.heads);
    keys = draw(s.kv_heads);
    values = draw(s.kv_heads);
    masking = {.pattern = {.window = s.window, .global = s.global, .stride = s.stride},
               .scale = 0.6};
  }
  /// Compares with attention by a mask in the rows where `real` [batch, 1, length, 1] is true.
  void expect_equal_to_mask(const Tensor& real) {
    Tensor weights;
    const Tensor plain = attend(query, keys, values, masking, &weights);
    const Tensor fast = sparse_attention(query, keys, values, masking);
    at::manual_seed(6);
    const Tensor outer = at::randn(plain.sizes(), at::kDouble) * real;
    EXPECT_LT(((plain - fast) * real).abs().max().item<double>(), 1e-12);
    const auto gradients = [&](const Tensor& out) {
      return torch::autograd::grad({(out * outer).sum()}, {query, keys, values});
    };
    const auto expected = gradients(plain), got = gradients(fast);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT((expected[i] - got[i]).abs().max().item<double>(), 1e-12) << i;
  }
  Tensor query, keys, values;
  AttentionMask masking;
};

TEST_P(SparseAttention, EqualsTheMaskedProduct) {
  expect_equal_to_mask(at::ones({1}, at::kDouble));
}

TEST_P(SparseAttention, EqualsTheMaskedProductWhenCausal) {
  masking.pattern.causal = true;
  expect_equal_to_mask(at::ones({1}, at::kDouble));
}

TEST_P(SparseAttention, EqualsTheMaskedProductWithPadding) {
  const SparseShape s = GetParam();
  const Tensor lengths =
      at::clamp_min(s.length - s.length / 2 * at::arange(s.batch), 1).view({-1, 1, 1, 1});
  masking.valid = at::arange(s.length).view({1, 1, 1, -1}) < lengths;
  expect_equal_to_mask(masking.valid.transpose(2, 3).to(at::kDouble));
}

INSTANTIATE_TEST_SUITE_P(Shapes, SparseAttention,
                         ::testing::Values(SparseShape{"global", 2, 2, 2, 7, 1, 2, 0},
                                           SparseShape{"strided", 2, 3, 1, 17, 2, 0, 5},
                                           SparseShape{"both", 2, 4, 2, 101, 3, 1, 10},
                                           SparseShape{"blocks", 1, 2, 2, 131, 5, 3, 11},
                                           SparseShape{"all_global", 2, 1, 1, 5, 1, 9, 0},
                                           SparseShape{"everything", 1, 2, 2, 33, 40, 0, 1}),
                         [](const auto& info) { return info.param.name; });

// Covering everything it is full attention.
TEST(SparseAttention, OfEverythingIsFullAttention) {
  at::manual_seed(7);
  const Tensor x = at::randn({2, 2, 23, 4}, at::kDouble);
  Tensor weights;
  const Tensor full = attend(x, x, x, {.scale = 0.5}, &weights);
  for (const AttentionMask& masking :
       {AttentionMask{.pattern = {.window = 22, .global = 1}, .scale = 0.5},
        AttentionMask{.pattern = {.window = 1, .stride = 1}, .scale = 0.5},
        AttentionMask{.pattern = {.window = 1, .global = 23}, .scale = 0.5}})
    EXPECT_LT((sparse_attention(x, x, x, masking) - full).abs().max().item<double>(), 1e-12);
}

// Options are for the longest sentence; a short one needs no memory for what lies beyond its end.
TEST(SparseAttention, OfMoreThanTheSentenceNeedsNoMore) {
  constexpr int64_t kHuge = 1'000'000'000'000;
  at::manual_seed(8);
  const Tensor x = at::randn({2, 2, 101, 4}, at::kDouble), short_x = x.narrow(2, 0, 5);
  Tensor weights;
  const auto expect_equal = [&](const Tensor& of, const AttentionMask& masking,
                                const AttentionMask& expected) {
    const Tensor plain = attend(of, of, of, expected, &weights);
    EXPECT_LT((attend(of, of, of, masking) - plain).abs().max().item<double>(), 1e-12);
  };
  for (const Tensor& some : {x, short_x}) {
    expect_equal(some, {.pattern = {.window = kHuge, .global = 1}}, {});
    expect_equal(some, {.pattern = {.window = kHuge, .stride = kHuge}}, {});
    expect_equal(some, {.pattern = {.window = 1, .stride = kHuge}}, {.pattern = {.window = 1}});
    expect_equal(some, {.pattern = {.window = 1, .global = kHuge}}, {});
  }
}

}  // namespace
}  // namespace heed::model
