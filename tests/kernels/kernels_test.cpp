// Every fused kernel against its readable twin, forward and gradient.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

#include <cmath>
#include <limits>

#include "kernels/distance.h"
#include "kernels/dropout.h"
#include "kernels/output_loss.h"
#include "kernels/recurrence.h"
#include "model/recurrent/cell.h"

namespace heed::kernels {
namespace {

using model::Cell;
using model::CellState;
using model::RecurrentCell;

struct OutputShape {
  int64_t tokens, width, vocab;
  bool bias;
  double smoothing;
};

class OutputLoss : public ::testing::TestWithParam<OutputShape> {
 protected:
  void SetUp() override {
    const OutputShape s = GetParam();
    at::manual_seed(3);
    features = at::randn({s.tokens, s.width}).requires_grad_();
    weight = at::randn({s.vocab, s.width}).mul_(0.3).requires_grad_();
    if (s.bias) bias = at::randn({s.vocab}).requires_grad_();
    gold = at::randint(s.vocab, {s.tokens}, at::kLong);
  }
  std::vector<Tensor> leaves() const {
    std::vector<Tensor> all = {features, weight};
    if (bias.defined()) all.push_back(bias);
    return all;
  }
  /// The twin: all logits, log-softmax, one number per token.
  Tensor plain() const {
    const OutputShape s = GetParam();
    const Tensor log = at::log_softmax(at::linear(features, weight, bias), 1).to(at::kDouble);
    const Tensor nll = -log.gather(1, gold.unsqueeze(1)).sum();
    return nll * (1 - s.smoothing) - log.sum() * (s.smoothing / static_cast<double>(s.vocab));
  }
  /// A loss in bf16, and its gradients in fp32, beside those of the twin.
  void expect_near(const OutputLossSum& sum) const {
    const Tensor expected = plain();
    EXPECT_NEAR(sum.smoothed.item<double>() / expected.item<double>(), 1, 0.02);
    const auto got = torch::autograd::grad({sum.smoothed}, leaves());
    const auto want = torch::autograd::grad({expected}, leaves());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].scalar_type(), at::kFloat);
      EXPECT_LT((got[i] - want[i]).norm().item<double>(), 0.03 * want[i].norm().item<double>())
          << i;
    }
  }
  Tensor features, weight, bias, gold;
};

TEST_P(OutputLoss, EqualsTheLossOfAllLogits) {
  const OutputShape s = GetParam();
  const OutputLossSum sum = output_loss(features, weight, bias, gold, s.smoothing, at::kFloat);
  const Tensor expected = plain();
  EXPECT_NEAR(sum.smoothed.item<double>() / expected.item<double>(), 1, 1e-5);
  const auto got = torch::autograd::grad({sum.smoothed * 0.5}, leaves());
  const auto want = torch::autograd::grad({expected * 0.5}, leaves());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LT(distance(got[i], want[i]), 1e-4 * (1 + want[i].abs().max().item<double>())) << i;
}

TEST_P(OutputLoss, IsNearInBf16) {
  expect_near(output_loss(features, weight, bias, gold, GetParam().smoothing, at::kBFloat16));
}

// The operations on a GPU are LibTorch's, here on the CPU; some logits at a time, or all.
TEST_P(OutputLoss, OnAGpuIsTheSameInChunksOfAnySize) {
  const OutputShape s = GetParam();
  const Tensor expected = plain();
  const auto want = torch::autograd::grad({expected * 0.5}, leaves());
  for (const int64_t together : {2 * s.vocab, int64_t{1} << 26}) {
    const OutputLossSum sum =
        output_loss_on_gpu(features, weight, bias, gold, s.smoothing, {}, at::kFloat, together);
    EXPECT_NEAR(sum.smoothed.item<double>() / expected.item<double>(), 1, 1e-5);
    const auto got = torch::autograd::grad({sum.smoothed * 0.5}, leaves());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_LT(distance(got[i], want[i]), 1e-4 * (1 + want[i].abs().max().item<double>())) << i;
  }
}

TEST_P(OutputLoss, OnAGpuIsNearInBf16InChunks) {
  const OutputShape s = GetParam();
  expect_near(output_loss_on_gpu(features, weight, bias, gold, s.smoothing, {}, at::kBFloat16,
                                 3 * s.vocab));
}

TEST_P(OutputLoss, LeavesOutTheGradientsOfFrozenWeights) {
  const OutputShape s = GetParam();
  const Tensor frozen = weight.detach(), no_bias = bias.defined() ? bias.detach() : bias;
  const Tensor want = torch::autograd::grad({plain()}, {features})[0];
  for (const Tensor& sum :
       {output_loss(features, frozen, no_bias, gold, s.smoothing, at::kFloat).smoothed,
        output_loss_on_gpu(features, frozen, no_bias, gold, s.smoothing, {}, at::kFloat)
            .smoothed}) {
    const auto edges = sum.grad_fn()->next_edges();
    EXPECT_EQ(std::ranges::count_if(edges, [](const auto& edge) { return edge.is_valid(); }), 1);
    EXPECT_LT(distance(torch::autograd::grad({sum}, {features})[0], want),
              1e-4 * (1 + want.abs().max().item<double>()));
  }
}

TEST_P(OutputLoss, NeedsNoGradient) {
  const at::NoGradGuard guard;
  const OutputLossSum sum =
      output_loss(features, weight, bias, gold, GetParam().smoothing, at::kFloat);
  EXPECT_NEAR(sum.smoothed.item<double>() / plain().item<double>(), 1, 1e-5);
  EXPECT_FALSE(sum.smoothed.requires_grad());
}

INSTANTIATE_TEST_SUITE_P(OddShapes, OutputLoss,
                         ::testing::Values(OutputShape{5, 3, 7, true, 0.1},
                                           OutputShape{1, 5, 11, false, 0},
                                           // more than two chunks of rows
                                           OutputShape{131, 5, 70001, true, 0.1}),
                         [](const auto& info) {
                           const auto& at = info.param;
                           return std::string("tokens") + std::to_string(at.tokens) + "_" +
                                  std::string("width") + std::to_string(at.width) + "_" +
                                  std::string("vocab") + std::to_string(at.vocab);
                         });

TEST(Dropout, KeepsTheShareAndTheMeanAndAgreesWithItsGradient) {
  at::manual_seed(4);
  const Tensor x = at::ones({311, 331}).requires_grad_();
  const Tensor y = kernels::dropout(x, 0.3);
  EXPECT_NEAR((y == 0).to(at::kDouble).mean().item<double>(), 0.3, 0.006);
  EXPECT_LT(distance(y.masked_select(y != 0), at::ones({1}) / 0.7), 1e-6);
  const Tensor gradient = torch::autograd::grad({y.sum()}, {x})[0];
  EXPECT_EQ(distance(gradient, y), 0);
}

TEST(Dropout, RowsAndColumnsAreDroppedAlike) {
  at::manual_seed(5);
  const Tensor y = kernels::dropout(at::ones({1000, 1000}), 0.5).ne(0).to(at::kDouble);
  for (const int64_t dimension : {0, 1}) {
    const Tensor means = y.mean(dimension);  // of 1,000 coins: deviation 0.0158
    EXPECT_NEAR(means.std().item<double>(), 0.0158, 0.0015);
    EXPECT_LT(means.sub(0.5).abs().max().item<double>(), 0.07);
  }
  // Neighbours know nothing of each other.
  const Tensor both = y.slice(1, 1) * y.slice(1, 0, 999);
  EXPECT_NEAR(both.mean().item<double>(), 0.25, 0.003);
}

TEST(Dropout, FollowsTheGeneratorAndNothingElse) {
  const Tensor x = at::ones({7, 5, 3});
  at::manual_seed(6);
  const Tensor first = kernels::dropout(x, 0.5), second = kernels::dropout(x, 0.5);
  at::manual_seed(6);
  EXPECT_EQ(distance(kernels::dropout(x, 0.5), first), 0);
  EXPECT_GT(distance(first, second), 0);
}

TEST(Dropout, AddsToAResidualOfEitherType) {
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const Tensor residual = at::randn({13, 7}).requires_grad_();
    const Tensor x = at::randn({13, 7}).to(type).requires_grad_();
    ASSERT_TRUE(can_add_dropped(residual, x));
    at::manual_seed(7);
    const Tensor sum = add_dropped(residual, x, 0.4);
    at::manual_seed(7);
    const Tensor alone = kernels::dropout(x, 0.4);
    EXPECT_LT(distance(sum, residual + alone), type == at::kFloat ? 1e-6 : 0.02);
    const Tensor weight = at::randn({13, 7});
    const auto got = torch::autograd::grad({(sum * weight).sum()}, {residual, x});
    const auto want = torch::autograd::grad({(alone * weight).sum()}, {x});
    EXPECT_EQ(distance(got[0], weight), 0);
    EXPECT_EQ(got[1].scalar_type(), type);
    EXPECT_LT(distance(got[1], want[0]), type == at::kFloat ? 1e-6 : 0.02);
  }
  EXPECT_FALSE(can_add_dropped(at::ones({3}).to(at::kBFloat16), at::ones({3})));
  EXPECT_FALSE(can_drop(at::ones({3}, at::kDouble)));
}

class GruSequence : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    at::manual_seed(8);
    initial = at::randn({rows.front(), hidden}).mul_(0.5).requires_grad_();
    gates = at::randn({15, 3 * hidden}).requires_grad_();
    for (const auto& parameter : cell.named_parameters()) {
      if (parameter.key() == "hidden_weight") weight = parameter.value();
      if (parameter.key() == "hidden_bias") bias = parameter.value();
    }
    const at::NoGradGuard guard;
    bias.normal_(0, 0.3);
  }

  /// The equations of RecurrentCell.
  Tensor plain_gru(const Tensor& now, const Tensor& before) const {
    const auto x = now.chunk(3, -1), u = at::linear(before, weight, bias).chunk(3, -1);
    const Tensor r = at::sigmoid(x[0] + u[0]), z = at::sigmoid(x[1] + u[1]);
    return (1 - z) * at::tanh(x[2] + r * u[2]) + z * before;
  }

  /// Step by step, each step for those that have one.
  Tensor plain(bool backward) {
    std::vector<int64_t> begins = {0};
    for (const int64_t count : rows) begins.push_back(begins.back() + count);
    std::vector<Tensor> states(rows.size());
    Tensor state = initial;
    const auto steps = static_cast<int64_t>(rows.size());
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = backward ? steps - 1 - i : i;
      const Tensor now = gates.narrow(0, begins[t], rows[t]);
      states[t] = plain_gru(now, state.narrow(0, 0, rows[t]));
      state = at::cat({states[t], state.slice(0, rows[t])});
    }
    return at::cat(states);
  }

  const std::vector<int64_t> rows = {5, 5, 3, 1, 1};
  const int64_t hidden = 7;
  RecurrentCell cell{Cell::gru, 4, 7};
  Tensor initial, gates, weight, bias;
};

TEST_P(GruSequence, EqualsTheCellStepByStep) {
  const Tensor fused = gru_sequence(gates, {rows}, weight, bias, initial, GetParam());
  const Tensor expected = plain(GetParam());
  EXPECT_LT(distance(fused, expected), 2e-6);
  const Tensor random = at::randn(fused.sizes());
  const std::vector<Tensor> leaves = {gates, weight, bias, initial};
  const auto got = torch::autograd::grad({(fused * random).sum()}, leaves);
  const auto want = torch::autograd::grad({(expected * random).sum()}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) EXPECT_LT(distance(got[i], want[i]), 1e-5) << i;
}

TEST_P(GruSequence, IsNearInBf16) {
  const Tensor fused =
      gru_sequence(gates.to(at::kBFloat16), {rows}, weight, bias, initial, GetParam());
  EXPECT_EQ(fused.scalar_type(), at::kFloat);
  const Tensor expected = plain(GetParam());
  EXPECT_LT(distance(fused, expected), 0.03);
  const Tensor random = at::randn(fused.sizes());
  const std::vector<Tensor> leaves = {gates, weight, bias, initial};
  const auto got = torch::autograd::grad({(fused * random).sum()}, leaves);
  const auto want = torch::autograd::grad({(expected * random).sum()}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_EQ(got[i].scalar_type(), at::kFloat);
    EXPECT_LT((got[i] - want[i]).norm().item<double>(), 0.03 * want[i].norm().item<double>()) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(BothWays, GruSequence, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "backward" : "forward"; });

}  // namespace
}  // namespace heed::kernels
