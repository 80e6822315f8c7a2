// Training of low-rank adapters.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/adapters.h"
#include "model/kinds.h"
#include "model/model.h"
#include "own_optimizer.h"
#include "ranked.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

TrainConfig with_adapters(int64_t rank = 3) {
  TrainConfig training;
  training.micro_batches = 2;
  training.adapters = {AdapterKind::lora, rank, 6, {"attention", "feed_forward"}};
  return training;
}

bool is_adapter(const std::string& name) {
  return name.find(".lora_") != std::string::npos;
}

model::ModelPtr model_for(const TrainConfig& training, const model::ModelConfig& config) {
  model::ModelPtr model = model::testing::model_of(config, kPieces);
  choose_trainable(*model, training);
  return model;
}

// Two workers; the second one's weights are the first one's.
TEST(AdapterTraining, ChangesAdaptersAloneAndKeepsNothingForOtherWeights) {
  for (const Quantise quantise : {Quantise::none, Quantise::int8})
    for (const auto& [kind, config] : model::testing::transformer_kinds()) {
      SCOPED_TRACE(kind);
      TrainConfig training = with_adapters();
      training.quantise = quantise;
      const auto make = [&config = config, &training] { return model_for(training, config); };
      const model::ModelPtr model = make();
      OwnOptimizer own(training, *model);
      Updater updater(*model, training, at::kCPU, at::kFloat, own.optimizer, nullptr, make);
      std::map<std::string, Tensor> before;
      for (const auto& item : model->named_parameters()) before[item.key()] = item.value().clone();
      model->train();
      for (int64_t update = 1; update <= 2; ++update)  // A learns once B is not zero
        updater.run(parts_of({toy::batch_of(toy::copies(5))}, training),
                    {.update = update, .rate = 0.1, .seed = 3});
      for (const auto& item : model->named_parameters()) {
        EXPECT_EQ(at::equal(item.value(), before.at(item.key())), !is_adapter(item.key()))
            << item.key();
        EXPECT_FALSE(item.value().grad().defined());
      }
      for (const auto& [name, tensor] : own.state()) EXPECT_TRUE(is_adapter(name)) << name;
    }
}

// s = 6 / 3.
TEST(AdapterTraining, MultipliesByAlphaOverRank) {
  const auto model = model_for(with_adapters(), model::testing::small_transformer());
  const model::LinearLayer& layer = *model::adapted_layers(*model).front();
  const at::NoGradGuard no_grad;
  const auto parts = layer.named_parameters();
  Tensor(parts["lora_a"]).fill_(0.5);
  Tensor(parts["lora_b"]).fill_(0.25);
  EXPECT_LT((layer.merged() - layer.weight - 2 * 3 * 0.5 * 0.25).abs().max().item<double>(), 1e-6);
}

TEST(AdapterTraining, SeesTheSumOfWeightsAndAdaptersInWholeNumbers) {
  TrainConfig training = with_adapters();
  training.quantise = Quantise::int8;
  const auto model = model_for(training, model::testing::small_transformer());
  const auto layers = model::adapted_layers(*model);
  const at::NoGradGuard no_grad;
  for (const model::LinearLayer* layer : layers)
    Tensor(layer->named_parameters()["lora_b"]).normal_();
  const Tensor before = layers[1]->weight.clone(), sum = layers[1]->merged();
  const auto expect_rounded = [&](const Tensor& weight) {
    const Tensor scale = sum.abs().amax(1, true) / 127;
    EXPECT_LE(((weight - sum).abs() / scale).max().item<double>(), 0.5001);
    const Tensor whole = weight / scale;
    EXPECT_LT((whole - whole.round()).abs().max().item<double>(), 1e-3);
  };
  {
    const model::Replaced numbers = quantised(*model, Quantise::int8);
    expect_rounded(layers[1]->weight);
  }
  EXPECT_TRUE(at::equal(layers[1]->weight, before));
  const model::Merged merged(*model);  // as a validation
  const model::Replaced numbers = quantised(*model, Quantise::int8);
  expect_rounded(layers[1]->weight);
}

TEST(AdapterTraining, IsTheSameWithAnyNumberOfRanks) {
  UpdatesOptions options{.model = model::testing::small_transformer()};
  options.model.dropout = 0.2;
  options.adapters = with_adapters().adapters;
  ranks::Group alone;
  const Outcome one = updates(alone, options);
  ranks::together(3, [&](ranks::Group& group) {
    at::set_num_threads(1);
    const Outcome other = updates(group, options);
    EXPECT_EQ(other.numbers, one.numbers);
    for (const auto& [name, weight] : one.weights)
      EXPECT_TRUE(at::equal(weight, other.weights.at(name))) << name;
  });
}

TEST(AdapterTraining, IsRefusedWhereItCannotBe) {
  TrainConfig training = with_adapters();
  const auto told = [&] { return message_of<config::ConfigError>([&] { check(training); }); };
  EXPECT_THAT(told(), HasSubstr("training.from"));
  training.from = "runs/base";
  EXPECT_NO_THROW(check(training));
  training.freeze = {"encoder"};
  EXPECT_THAT(told(), HasSubstr("training.freeze"));
  training.freeze.clear();
  training.adapters.matrices.clear();
  EXPECT_THAT(told(), HasSubstr("training.adapters.matrices"));
}

}  // namespace
}  // namespace heed::train
