// Kernels whose gradient is gathered over the steps of a sequence, against their readable twins.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/additive.h"
#include "kernels/distance.h"
#include "kernels/product.h"
#include "model/device.h"
#include "model/recurrent/attention/attention.h"
#include "model/recurrent/attention/common.h"

namespace heed::kernels {
namespace {

using model::attend_with;
using model::Attended;
using model::Autocast;
using model::make_encoded;
using model::Prepared;

class CollectedLinear : public ::testing::Test {
 protected:
  CollectedLinear() {
    at::manual_seed(2);
    weight = at::randn({7, 5}).mul_(0.3).requires_grad_();
    bias = at::randn({7}).requires_grad_();
    x = at::randn({3, 5}).requires_grad_();
  }
  /// A recurrence: each step multiplies what the step before it made.
  template <class Linear>
  Tensor three_steps(const Linear& linear) const {
    Tensor state = x, sum = at::zeros({});
    for (int step = 0; step < 3; ++step) {
      const Tensor out = at::tanh(linear(state));
      sum = sum + out.pow(2).sum();
      state = out.narrow(-1, 0, 5);
    }
    return sum;
  }
  Tensor weight, bias, x;
};

TEST_F(CollectedLinear, HasTheGradientOfEveryStep) {
  const Collected layer = collected(weight, bias);
  const Tensor got = three_steps([&](const Tensor& now) { return collected_linear(now, layer); });
  const Tensor want = three_steps([&](const Tensor& now) { return at::linear(now, weight, bias); });
  EXPECT_NEAR(got.item<double>(), want.item<double>(), 1e-5);
  const auto gradients = torch::autograd::grad({got}, {weight, bias, x});
  const auto expected = torch::autograd::grad({want}, {weight, bias, x});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(distance(gradients[i], expected[i]), 1e-5) << i;
}

TEST_F(CollectedLinear, TakesAnyRankAndNoBias) {
  const Tensor deep = at::randn({2, 3, 5}).requires_grad_();
  const Tensor got = collected_linear(deep, collected(weight));
  const Tensor want = at::linear(deep, weight);
  EXPECT_LT(distance(got, want), 1e-6);
  const auto gradients = torch::autograd::grad({got.sum()}, {weight, deep});
  const auto expected = torch::autograd::grad({want.sum()}, {weight, deep});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(distance(gradients[i], expected[i]), 1e-5) << i;
}

TEST_F(CollectedLinear, AddsToAGradientThatComesAnotherWay) {
  const Collected layer = collected(weight);
  const Tensor got = collected_linear(x, layer).sum() + layer.weight.pow(2).sum();
  const Tensor want = at::linear(x, weight).sum() + weight.pow(2).sum();
  EXPECT_LT(distance(torch::autograd::grad({got}, {weight})[0],
                     torch::autograd::grad({want}, {weight})[0]),
            1e-5);
}

TEST_F(CollectedLinear, IsPlainWithoutGradients) {
  const at::NoGradGuard guard;
  const Collected layer = collected(weight, bias);
  EXPECT_TRUE(layer.weight.is_same(weight));
  EXPECT_EQ(distance(collected_linear(x, layer), at::linear(x, weight, bias)), 0);
}

TEST_F(CollectedLinear, FollowsAutocast) {
  const Autocast autocast(at::kCPU, at::kBFloat16);
  const Tensor got = collected_linear(x, collected(weight, bias));
  EXPECT_EQ(got.scalar_type(), at::kBFloat16);
  EXPECT_LT(distance(got, at::linear(x.detach(), weight.detach(), bias.detach())), 0.03);
  const auto gradients = torch::autograd::grad({got.sum()}, {weight, bias, x});
  for (const Tensor& gradient : gradients) EXPECT_EQ(gradient.scalar_type(), at::kFloat);
}

// Three sentences of 4, 7 and 5 positions, four steps.
class AdditiveKernel : public ::testing::Test {
 protected:
  AdditiveKernel() {
    at::manual_seed(3);
    const Tensor valid = at::arange(7).unsqueeze(0) < at::tensor({4, 7, 5}, at::kLong).unsqueeze(1);
    keys = at::randn({3, 7, 9}).requires_grad_();
    values = at::randn({3, 7, 6}).requires_grad_();
    v = at::randn({9}).requires_grad_();
    queries = at::randn({3, 4, 9}).requires_grad_();
    memory = {make_encoded(values, valid, at::zeros({3, 6}))};
  }

  std::vector<Tensor> leaves() const { return {keys, values, v, queries}; }

  /// The twin: scores of all queries, then the weighted sum.
  Attended plain() const {
    return attend_with(additive_scores(queries, keys, v), {}, memory, {}, false);
  }
  /// Step by step, as a decoder asks.
  AdditiveAttended fused() const {
    const AdditiveMemory shared = additive_memory(keys, values, v, memory.bias);
    std::vector<Tensor> contexts, weights;
    for (int64_t t = 0; t < 4; ++t) {
      const auto one = additive_attention(queries.narrow(1, t, 1), shared);
      contexts.push_back(one.context);
      weights.push_back(one.weights);
    }
    return {at::cat(contexts, 1), at::cat(weights, 1)};
  }

  Tensor keys, values, v, queries;
  Prepared memory;
};

TEST_F(AdditiveKernel, EqualsItsTwin) {
  const AdditiveAttended got = fused();
  const Attended want = plain();
  EXPECT_LT(distance(got.context, want.context), 2e-6);
  EXPECT_LT(distance(got.weights, want.weights), 1e-6);
  const Tensor random = at::randn(want.context.sizes());
  const auto gradients = torch::autograd::grad({(got.context * random).sum()}, leaves());
  const auto expected = torch::autograd::grad({(want.context * random).sum()}, leaves());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    EXPECT_LT(distance(gradients[i], expected[i]), 1e-5) << i;
}

// The largest numbers whose exponentials' products, of four at once, are still finite.
TEST_F(AdditiveKernel, EqualsItsTwinAtItsLimit) {
  keys = (keys.sign() * 10.5).detach().requires_grad_();
  queries = (queries.sign() * 10.5).detach().requires_grad_();
  const AdditiveAttended got = fused();
  EXPECT_LT(distance(got.context, plain().context), 2e-6);
  const auto gradients = torch::autograd::grad({got.context.sum()}, leaves());
  const auto expected = torch::autograd::grad({plain().context.sum()}, leaves());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    EXPECT_LT(distance(gradients[i], expected[i]), 1e-5) << i;
}

// Exponentials of such numbers have no finite product: the kernel goes another way.
TEST_F(AdditiveKernel, EqualsItsTwinFarOutToo) {
  keys = (keys * 30).detach().requires_grad_();
  queries = (queries * 30).detach().requires_grad_();
  EXPECT_LT(distance(fused().context, plain().context), 2e-6);
  const at::NoGradGuard guard;
  const auto got = additive_attention(queries, additive_memory(keys, values, v, memory.bias));
  EXPECT_LT(distance(got.context, plain().context), 2e-6);
}

TEST_F(AdditiveKernel, TakesTheBiasOfPaddingAlone) {
  EXPECT_TRUE(additive_memory(keys, values, v, memory.bias).defined());
  EXPECT_TRUE(additive_memory(keys, values, v, memory.bias.clone()).defined());
  EXPECT_FALSE(additive_memory(keys.detach(), values, v, memory.bias).defined());
  for (const bool gradient : {true, false}) {
    const at::AutoGradMode guard(gradient);
    Tensor window = memory.bias.clone();
    window.select(2, 0).fill_(-INFINITY);
    EXPECT_FALSE(additive_memory(keys, values, v, window).defined());
    const Tensor slope = memory.bias + at::arange(7).mul(0.5);
    EXPECT_FALSE(additive_memory(keys, values, v, slope).defined());
    const Tensor each = memory.bias.expand({3, 4, 7});
    EXPECT_FALSE(additive_memory(keys, values, v, each).defined());
  }
}

TEST_F(AdditiveKernel, WithoutGradientsReadsTheKeysAsTheyAre) {
  const Attended want = plain();
  const at::NoGradGuard guard;
  const AdditiveMemory shared = additive_memory(keys, values, v, memory.bias);
  EXPECT_EQ(shared.keys.const_data_ptr(), keys.const_data_ptr());
  const auto got = additive_attention(queries, shared);
  EXPECT_LT(distance(got.context, want.context), 2e-6);
  EXPECT_LT(distance(got.weights, want.weights), 1e-6);
}

TEST_F(AdditiveKernel, NeverReadsPadding) {
  const Tensor before = fused().context;
  const Tensor padding = memory.valid.logical_not().unsqueeze(-1);
  keys = keys.detach().masked_fill(padding, 1e30F).requires_grad_();
  values = values.detach().masked_fill(padding, 1e30F).requires_grad_();
  EXPECT_EQ(distance(fused().context, before), 0);
}

TEST_F(AdditiveKernel, TakesBf16AndGivesItsGradientsBack) {
  const Tensor want = plain().context;
  keys = keys.detach().to(at::kBFloat16).requires_grad_();
  values = values.detach().to(at::kBFloat16).requires_grad_();
  const Tensor got = fused().context;
  EXPECT_LT(distance(got, want), 0.05);
  const auto gradients = torch::autograd::grad({got.sum()}, {keys, values, v});
  EXPECT_EQ(gradients[0].scalar_type(), at::kBFloat16);
  EXPECT_EQ(gradients[1].scalar_type(), at::kBFloat16);
  EXPECT_EQ(gradients[2].scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace heed::kernels
