// Transformers on the simulated accelerator with the kernels of add_norm(), and without.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "accelerator/support.h"
#include "kernels/add_norm_host.h"
#include "kernels/dropout.h"
#include "kernels/graph.h"
#include "kernels/layer_norm.h"
#include "model/device.h"
#include "train/loss.h"
#include "train/own_optimizer.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using kernels::testing::Fused;

/// A loss, its gradients by all weights, and how many launches both took.
struct Pass {
  double loss = 0;
  int64_t launches = 0;
  train::NamedTensors gradients;
};

Pass pass(const model::ModelConfig& config, at::ScalarType precision, bool fused) {
  const Fused switched(fused);
  const model::ModelPtr model = model::testing::model_of(config, kPieces);
  model->to(device());
  model->train();
  const data::Batch batch = small_batch();
  const train::Target target = train::make_target(batch, device());
  const model::Source source = model::make_source(batch, device());
  const kernels::Draws draws(3, device());
  const Work work;
  Tensor loss;
  {
    const model::Autocast autocast(device(), precision);
    loss = train::loss_of(*model, model->features(source, target.input), target, 0.1).smoothed;
  }
  loss.backward();
  Pass out{.launches = work.launches()};
  out.loss = loss.item<double>();
  for (const auto& [name, weight] : train::trainable(*model))
    out.gradients.emplace(name, weight.grad().cpu().to(at::kDouble));
  return out;
}

double distance(const Pass& one, const Pass& other) {
  double largest = 0;
  for (const auto& [name, gradient] : other.gradients)
    largest = std::max(largest, ((one.gradients.at(name) - gradient).abs().max() /
                                 gradient.abs().max().clamp_min(1e-2))
                                    .item<double>());
  return largest;
}

TEST(AcceleratorAddNorm, GivesTheNumbersOfSingleOperationsWithFewerLaunches) {
  for (const NamedConfig& kind : model::testing::transformer_kinds())
    for (const auto precision : {at::kFloat, at::kBFloat16}) {
      SCOPED_TRACE(kind.name);
      const Pass ours = pass(kind.config, precision, true);
      const Pass plain = pass(kind.config, precision, false);
      const double rounding = precision == at::kFloat ? 1e-5 : 8e-2;
      EXPECT_NEAR(ours.loss, plain.loss, rounding * plain.loss);
      EXPECT_LT(distance(ours, plain), rounding);
      if (kind.config.norm == model::Norm::pre)
        EXPECT_LT(ours.launches, plain.launches);
      else
        EXPECT_EQ(ours.launches, plain.launches);
    }
}

// A block of an encoder has two sums, one of a decoder three.
TEST(AcceleratorAddNorm, ReplacesElevenLaunchesOfASublayerByThree) {
  model::ModelConfig config = model::testing::small_transformer();
  config.dropout = 0.1;
  const int64_t sublayers = 2 * config.encoder_layers + 3 * config.decoder_layers;
  const Pass ours = pass(config, at::kBFloat16, true), plain = pass(config, at::kBFloat16, false);
  EXPECT_GE(plain.launches - ours.launches, 8 * sublayers);
}

TEST(AcceleratorAddNorm, DrawsAnotherMaskInEachReplayAndTheSameForTheGradient) {
  const auto floats = at::TensorOptions(at::kFloat).device(device());
  const Tensor x = at::ones({7, 64}, floats).requires_grad_(), base = at::zeros({7, 64}, floats);
  const Tensor weight = at::ones({64}, floats), bias = at::zeros({64}, floats);
  const Tensor sum = at::zeros({7, 64}, floats), gradient = at::zeros_like(sum);
  const auto work = [&] {
    const Tensor now = kernels::add_norm(base, x, 0.5, weight, bias, 1e-5).sum;
    now.sum().backward();
    const at::NoGradGuard no_grad;
    sum.copy_(now);
    gradient.copy_(x.grad());
    x.mutable_grad() = Tensor();
  };
  const kernels::Graph graph(device(), work);
  const Tensor before = sum.cpu();
  graph.replay();
  EXPECT_FALSE(at::equal(sum.cpu(), before));
  EXPECT_TRUE(at::equal(sum.cpu(), gradient.cpu()));  // 0 or 2 at the same places
  {
    const kernels::Draws draws(7, device());
    graph.replay();
  }
  const Tensor seeded = sum.cpu();
  const kernels::Draws draws(7, device());
  work();
  EXPECT_TRUE(at::equal(sum.cpu(), seeded));
}

}  // namespace
}  // namespace heed::accelerator
