#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/distance.h"
#include "model/device.h"
#include "model/transformer/blocks.h"

namespace heed::kernels {
namespace {

using model::Autocast;

torch::nn::LayerNorm layer_of(int64_t width) {
  torch::nn::LayerNorm layer(torch::nn::LayerNormOptions({width}));
  const at::NoGradGuard no_grad;
  layer->weight.copy_(at::randn({width}));
  layer->bias.copy_(at::randn({width}));
  return layer;
}

/// The output, and the gradients by x, weight and bias of a random sum of it.
template <class Norm>
std::vector<Tensor> run(torch::nn::LayerNorm& layer, const Tensor& x, const Norm& norm) {
  layer->zero_grad();
  const Tensor leaf = x.detach().clone().requires_grad_(true);
  const Tensor y = norm(leaf);
  at::manual_seed(3);
  (y.to(at::kFloat) * at::randn(y.sizes())).sum().backward();
  return {y.detach(), leaf.grad(), layer->weight.grad().clone(), layer->bias.grad().clone()};
}

// (1, 2, 3, 6) has the mean 3 and the variance (4 + 1 + 0 + 9) / 4 = 3.5.
TEST(LayerNormKernel, GivesTheWorkedNumbers) {
  torch::nn::LayerNorm layer(torch::nn::LayerNormOptions({4}).eps(0.5));
  const Tensor y = model::layer_norm(layer, at::tensor({1.F, 2.F, 3.F, 6.F}));
  EXPECT_LT(distance(y, at::tensor({-1., -0.5, 0., 1.5})), 1e-6);
}

TEST(LayerNormKernel, IsTheLayerForwardAndGradient) {
  for (const int64_t rows : {1, 7, 131})
    for (const int64_t width : {3, 5, 64}) {
      at::manual_seed(2);
      torch::nn::LayerNorm layer = layer_of(width);
      const Tensor x = 3 * at::randn({rows, 2, width}) + 1;
      const auto ours = [&](const Tensor& each) { return model::layer_norm(layer, each); };
      const auto plain = run(layer, x, [&](const Tensor& each) { return layer->forward(each); });
      const auto fp32 = run(layer, x, ours);
      std::vector<Tensor> bf16;
      {
        const Autocast autocast(at::kCPU, at::kBFloat16);
        bf16 = run(layer, x, ours);
      }
      EXPECT_EQ(bf16[0].scalar_type(), at::kBFloat16);
      for (std::size_t i = 0; i < plain.size(); ++i) {
        const double size = 1 + plain[i].abs().max().item<double>();
        EXPECT_LT(distance(fp32[i], plain[i]), 2e-5 * size) << rows << " x " << width << ", " << i;
        EXPECT_LT(distance(bf16[i], plain[i]), 2e-2 * size) << rows << " x " << width << ", " << i;
      }
    }
}

TEST(LayerNormKernel, WithoutAGradientIsTheLayerItself) {
  torch::nn::LayerNorm layer = layer_of(5);
  const Tensor x = at::randn({3, 5});
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(model::layer_norm(layer, x), layer->forward(x)));
}

}  // namespace
}  // namespace heed::kernels
