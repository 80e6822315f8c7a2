// Linear layers with weights that were converted beforehand, against at::linear.
#include "kernels/lowered.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error.h"
#include "kernels/distance.h"

namespace heed::kernels {
namespace {

class LoweredLinear : public ::testing::Test {
 protected:
  LoweredLinear() {
    at::manual_seed(5);
    weight = at::randn({7, 5}).requires_grad_();
    bias = at::randn({7}).requires_grad_();
    x = at::randn({2, 3, 5}).requires_grad_();
    lowered->weight = weight.detach().to(at::kBFloat16);
    lowered->bias = bias.detach().to(at::kBFloat16);
    lowered->weight_gradient = at::full({7, 5}, 9.0);
    lowered->bias_gradient = at::full({7}, 9.0);
  }
  /// The gradients of x, weight and bias, computed in fp32 from the rounded factors.
  std::vector<Tensor> exact(const Tensor& outer) const {
    const Tensor rounded = x.detach().to(at::kBFloat16).to(at::kFloat).requires_grad_();
    const Tensor w = lowered->weight.to(at::kFloat).requires_grad_();
    const Tensor b = lowered->bias.to(at::kFloat).requires_grad_();
    return torch::autograd::grad({at::linear(rounded, w, b)}, {rounded, w, b}, {outer});
  }

  Tensor weight, bias, x;
  std::shared_ptr<LoweredWeights> lowered = std::make_shared<LoweredWeights>();
};

TEST_F(LoweredLinear, WritesTheGradientsOfWeightsInFp32) {
  const Tensor y = lowered_linear(x, weight, lowered);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({2, 3, 7}));
  EXPECT_LT(distance(y, at::linear(x, weight, bias)), 0.05);
  EXPECT_FALSE(lowered->written);
  const Tensor outer = at::randint(-2, 3, {2, 3, 7}).to(at::kFloat);  // exact in bf16
  const auto gradients =
      torch::autograd::grad({y}, {x, weight, bias}, {outer.to(at::kBFloat16)}, /*retain_graph=*/{},
                            /*create_graph=*/false, /*allow_unused=*/true);
  EXPECT_TRUE(lowered->written);
  EXPECT_FALSE(gradients[1].defined());
  EXPECT_FALSE(gradients[2].defined());
  const auto expected = exact(outer);
  EXPECT_EQ(gradients[0].scalar_type(), at::kFloat);
  EXPECT_LT(distance(gradients[0], expected[0]), 0.04);
  EXPECT_LT(distance(lowered->weight_gradient, expected[1]), 0.04);
  EXPECT_EQ(distance(lowered->bias_gradient, expected[2]), 0);  // whole numbers
}

TEST_F(LoweredLinear, LetsItsResultBeChangedInPlace) {
  const Tensor y = lowered_linear(x, weight, lowered).relu_();
  y.sum().backward();
  EXPECT_LT(distance(x.grad(), exact(y.detach().gt(0).to(at::kFloat))[0]), 0.04);
}

TEST_F(LoweredLinear, WritesNoGradientOfFrozenWeights) {
  lowered->weight_gradient = Tensor();
  lowered_linear(x, weight, lowered).sum().backward();
  EXPECT_EQ(distance(lowered->bias_gradient, at::full({7}, 6.0)), 0);
  EXPECT_FALSE(weight.grad().defined());
}

TEST_F(LoweredLinear, IsUsedOnceInABackwardPass) {
  const Tensor sum =
      lowered_linear(x, weight, lowered).sum() + lowered_linear(x, weight, lowered).sum();
  EXPECT_THROW(sum.backward(), Bug);
}

TEST_F(LoweredLinear, IsTheSameWithoutGradients) {
  const Tensor with = lowered_linear(x, weight, lowered);
  const at::NoGradGuard no_grad;
  const Tensor without = lowered_linear(x, weight, lowered);
  EXPECT_FALSE(without.requires_grad());
  EXPECT_TRUE(at::equal(with, without));
}

}  // namespace
}  // namespace heed::kernels
