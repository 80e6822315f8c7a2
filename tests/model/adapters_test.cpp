// Low-rank adapters of linear layers.
#include "model/adapters.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/product.h"
#include "model/gradient.h"
#include "model/kinds.h"
#include "model/model.h"
#include "model/weights.h"

namespace heed::model {
namespace {

using namespace testing;

LinearLayerPtr layer_of(const Tensor& weight, const Tensor& bias, const AdapterOptions& options) {
  auto layer = std::make_shared<LinearLayer>(
      torch::nn::LinearOptions(weight.size(1), weight.size(0)).bias(bias.defined()));
  const at::NoGradGuard no_grad;
  layer->weight.copy_(weight);
  if (bias.defined()) layer->bias.copy_(bias);
  layer->add_adapter(options);
  for (const Tensor& frozen : {layer->weight, layer->bias})
    if (frozen.defined()) Tensor(frozen).set_requires_grad(false);
  return layer;
}

Tensor part(const LinearLayer& layer, const char* name) {
  return layer.named_parameters()[name];
}

// W x = (3 + 2, 9 + 4), A x = 3 - 1 = 2, B A x = (4, -2).
TEST(Adapter, AddsWhatIsWorkedByHand) {
  const auto layer =
      layer_of(at::tensor({1.F, 2.F, 3.F, 4.F}).view({2, 2}), {}, {.rank = 1, .scale = 0.5});
  EXPECT_EQ(part(*layer, "lora_a").sizes(), at::IntArrayRef({1, 2}));
  EXPECT_EQ(part(*layer, "lora_b").sizes(), at::IntArrayRef({2, 1}));
  const Tensor x = at::tensor({3.F, 1.F}).view({1, 2});
  EXPECT_TRUE(at::equal(layer->apply(x), at::tensor({5.F, 13.F}).view({1, 2})));  // B is zero
  const at::NoGradGuard no_grad;
  part(*layer, "lora_a").copy_(at::tensor({1.F, -1.F}).view({1, 2}));
  part(*layer, "lora_b").copy_(at::tensor({2.F, -1.F}).view({2, 1}));
  EXPECT_TRUE(at::equal(layer->apply(x), at::tensor({7.F, 12.F}).view({1, 2})));
  EXPECT_TRUE(at::equal(layer->merged(), at::tensor({2.F, 1.F, 2.5F, 4.5F}).view({2, 2})));
}

// Against LibTorch's own operations in double, with and without a bias, of oneDNN's sizes, too.
TEST(Adapter, HasTheGradientsOfItsReadableTwin) {
  for (const auto& [rows, in, out, bias] : std::vector<std::tuple<int64_t, int64_t, int64_t, bool>>{
           {5, 7, 3, true}, {131, 259, 187, false}}) {
    at::manual_seed(7);
    const auto layer = layer_of(at::randn({out, in}), bias ? at::randn({out}) : Tensor(),
                                {.rank = 3, .scale = 1.5});
    const Tensor a = part(*layer, "lora_a"), b = part(*layer, "lora_b");
    {
      const at::NoGradGuard no_grad;
      b.normal_();
    }
    const Tensor x = at::randn({3, rows, in}).requires_grad_(), outer = at::randn({3, rows, out});
    const Tensor got = layer->apply(x);
    const auto gradients = torch::autograd::grad({(got * outer).sum()}, {x, a, b});
    const auto leaf = [](const Tensor& one) {
      return one.detach().to(at::kDouble).requires_grad_();
    };
    const Tensor dx = leaf(x), da = leaf(a), db = leaf(b);
    Tensor want =
        at::matmul(dx, leaf(layer->weight).t()) + at::matmul(at::matmul(dx, da.t()), db.t()) * 1.5;
    if (bias) want = want + layer->bias;
    EXPECT_LT(distance(got, want), 1e-4 * want.abs().max().item<double>());
    const auto expected = torch::autograd::grad({(want * outer).sum()}, {dx, da, db});
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_LT(distance(gradients[i], expected[i]), 1e-4 * expected[i].abs().max().item<double>())
          << i;
  }
}

// Where W holds B A already, gradients pass W' as if it were that sum.
TEST(Adapter, InTheWeightsHasTheGradientOfTheSum) {
  at::manual_seed(8);
  const auto layer =
      layer_of(at::randn({3, 5}), at::randn({3}), {.rank = 2, .scale = 0.7, .in_weights = true});
  const Tensor a = part(*layer, "lora_a"), b = part(*layer, "lora_b");
  const at::AutoGradMode on(true);
  Tensor(b).detach().normal_();
  const Tensor x = at::randn({7, 5}).requires_grad_(), outer = at::randn({7, 3});
  const Tensor got = layer->apply(x);
  EXPECT_TRUE(at::equal(got, kernels::linear(x, layer->weight, layer->bias)));
  const auto gradients = torch::autograd::grad({(got * outer).sum()}, {x, a, b});
  const Tensor of_sum = outer.t().mm(x);  // [3, 5]
  EXPECT_LT(distance(gradients[0], outer.mm(layer->weight)), 1e-5);
  EXPECT_LT(distance(gradients[1], b.t().mm(of_sum) * 0.7), 1e-5);
  EXPECT_LT(distance(gradients[2], of_sum.mm(a.t()) * 0.7), 1e-5);
}

ModelPtr adapted(const ModelConfig& config, const AdapterOptions& options) {
  const ModelPtr model = model_of(config, kSourceVocabulary);
  add_adapters(*model, options);
  const at::NoGradGuard no_grad;
  for (const auto& item : model->named_parameters())
    if (item.value().requires_grad()) Tensor(item.value()).normal_(0, 0.1);
  return model;
}

TEST(Adapters, AloneHaveGradientsAndTheseAreThoseOfDifferences) {
  const Source source = source_of(three_sources());
  const Tensor target = padded(three_targets());
  int number = 0;
  for (const auto& [name, config] : transformer_kinds()) {
    if (number++ % 4 != 0) continue;
    SCOPED_TRACE(name);
    const ModelPtr model = adapted(config, {.rank = 3, .feed_forward = number % 8 == 1});
    model->to(at::kDouble);
    const Tensor pattern = at::randn({3, 5, kSourceVocabulary}, at::kDouble);
    const auto loss = [&] {
      return (at::log_softmax(model->logits(model->features(source, target)), -1) * pattern).sum();
    };
    std::vector<Tensor> leaves;
    for (const auto& item : model->named_parameters()) {
      EXPECT_EQ(item.value().requires_grad(), item.key().find(".lora_") != std::string::npos);
      if (item.value().requires_grad()) leaves.push_back(item.value());
    }
    for (const GradientCheck& check : check_directions(leaves, loss)) {
      EXPECT_GT(check.largest, 1e-6);
      EXPECT_LT(check.error, 1e-6);
    }
  }
}

// Two layers each; self-attention has two matrices, cross-attention three, feed-forward two.
TEST(Adapters, AreOfTheMatricesThatAreNamed) {
  ModelConfig config = small_transformer();
  config.encoder_layers = config.decoder_layers = 2;
  const auto count = [&](bool attention, bool feed_forward) {
    return adapted_layers(*adapted(config, {.attention = attention, .feed_forward = feed_forward}))
        .size();
  };
  EXPECT_EQ(count(true, false), 2U * 2 + 2U * (2 + 3));
  EXPECT_EQ(count(false, true), 4U * 2);
  EXPECT_EQ(count(true, true), 14U + 8U);
  EXPECT_THROW(count(false, false), UserError);
}

TEST(Adapters, MergedSayTheSameAndLeaveNoBitChanged) {
  const Source source = source_of(three_sources());
  const Tensor target = padded(three_targets());
  for (const auto& [name, config] : transformer_kinds()) {
    SCOPED_TRACE(name);
    const ModelPtr model = adapted(config, {.rank = 3, .scale = 2, .feed_forward = true});
    model->eval();
    const at::NoGradGuard no_grad;
    const auto logits = [&] { return model->logits(model->features(source, target)); };
    const auto plain = named_weights(*model_of(config, kSourceVocabulary));
    std::map<std::string, Tensor> before;
    for (const auto& [key, tensor] : named_weights(*model)) before[key] = tensor.clone();
    const Tensor beside = logits();
    {
      const Merged merged(*model);
      EXPECT_LT(distance(logits(), beside), 1e-5);
      const auto weights = named_weights(*model);
      ASSERT_EQ(weights.size(), plain.size());
      for (const auto& [key, tensor] : plain) EXPECT_TRUE(weights.contains(key)) << key;
      const ModelPtr other = model_of(config, kSourceVocabulary);
      load_weights(*other, weights, "the merged ones");
      other->eval();
      EXPECT_TRUE(at::equal(other->logits(other->features(source, target)), logits()));
    }
    const auto after = named_weights(*model);
    ASSERT_EQ(after.size(), before.size());
    for (const auto& [key, tensor] : before) EXPECT_TRUE(at::equal(after.at(key), tensor)) << key;
    EXPECT_TRUE(at::equal(logits(), beside));
    remove_adapters(*model);
    EXPECT_EQ(named_weights(*model).size(), plain.size());
    for (const Tensor& parameter : model->parameters()) EXPECT_TRUE(parameter.requires_grad());
  }
}

}  // namespace
}  // namespace heed::model
