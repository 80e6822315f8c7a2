// One update's work on its gradient: the mean over tokens, its length, the scale of the loss.
#include "train/update.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/batch.h"
#include "every.h"
#include "model/model.h"
#include "own_optimizer.h"
#include "text/vocabulary.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

constexpr double kSmoothing = 0.2, kRate = 0.5;

data::Batch seven_pairs() {
  return toy::batch_of(toy::copies(7));
}

/// The gradient of the mean loss of the target tokens, which PyTorch computes.
NamedTensors mean_gradient(Quantise quantise = Quantise::none) {
  toy::ToyModel model;
  model.train();
  const model::Replaced whole_numbers = quantised(model, quantise);
  const data::Batch batch = seven_pairs();
  const model::TargetInput input = make_target(batch, at::kCPU).input;
  const Tensor features = model.features(model::make_source(batch, at::kCPU), input);
  const Tensor all = at::tensor(at::ArrayRef<int64_t>(batch.target_output), at::kLong);
  const Tensor real = at::nonzero(all.ne(text::kPad)).squeeze(1);
  const Tensor logits = model.logits(features).flatten(0, 1).index_select(0, real);
  const Tensor sum = at::cross_entropy_loss(logits, all.index_select(0, real), {},
                                            at::Reduction::Sum, -100, kSmoothing);
  (sum / static_cast<double>(real.size(0))).backward();
  NamedTensors gradients;
  for (const auto& [name, weight] : trainable(model)) gradients[name] = weight.grad().clone();
  return gradients;
}

struct Updated {
  std::vector<UpdateNumbers> numbers;  // of each update
  NamedTensors change;                 // of each weight, by all of them
};

NamedTensors copies_of(const model::Model& model) {
  NamedTensors copies;
  for (const auto& [name, weight] : trainable(model)) copies[name] = weight.detach().clone();
  return copies;
}

/// One update of three parts for each of these scales of the loss.
Updated updated(TrainConfig config, const std::vector<double>& scales) {
  config.label_smoothing = kSmoothing;
  config.micro_batches = 3;
  toy::ToyModel model;
  OwnOptimizer own(config, model);
  Updater updater(model, config, at::kCPU, at::kFloat, own.optimizer, nullptr);
  model.train();
  Updated out;
  const NamedTensors before = copies_of(model);
  int64_t update = 0;
  for (const double scale : scales)
    out.numbers.push_back(updater
                              .run(parts_of({seven_pairs()}, config),
                                   {.update = ++update, .rate = kRate, .loss_scale = scale})
                              .numbers());
  for (const auto& [name, weight] : copies_of(model)) out.change[name] = weight - before.at(name);
  return out;
}

void expect_near(const NamedTensors& one, const NamedTensors& other, double times = 1) {
  for (const auto& [name, tensor] : one)
    EXPECT_TRUE(at::allclose(tensor, other.at(name) * times, 1e-4, 1e-6)) << name;
}

TrainConfig update_config(OptimizerKind optimizer, double clip) {
  TrainConfig config;
  config.optimizer = optimizer;
  config.clip_norm = clip;
  return config;
}

class Updating : public Trainer {};

TEST_F(Updating, FollowsTheGradientOfTheMeanOverTheTokensOfAllParts) {
  const Updated once = updated(update_config(OptimizerKind::sgd, 0), {1});
  const NamedTensors gradient = mean_gradient();
  expect_near(once.change, gradient, -kRate);
  double squares = 0;
  for (const auto& [name, tensor] : gradient) squares += tensor.square().sum().item<double>();
  EXPECT_NEAR(once.numbers[0].norm, std::sqrt(squares), 1e-5);
}

TEST_F(Updating, ShortensAGradientThatIsTooLongAndLeavesAnother) {
  const Updated plain = updated(update_config(OptimizerKind::sgd, 0), {1});
  const double norm = plain.numbers[0].norm;
  const Updated shorter = updated(update_config(OptimizerKind::sgd, norm / 4), {1});
  const Updated as_long = updated(update_config(OptimizerKind::sgd, norm * 2), {1});
  expect_near(shorter.change, plain.change, 0.25);
  expect_near(as_long.change, plain.change);
  EXPECT_EQ(shorter.numbers[0].norm, norm);
  EXPECT_EQ(as_long.numbers[0].norm, norm);
}

TEST_F(Updating, TakesTheGradientAtWholeNumbersForTheWeightsThemselves) {
  TrainConfig config = update_config(OptimizerKind::sgd, 0);
  config.quantise = Quantise::int8;
  const Updated once = updated(config, {1});
  expect_near(once.change, mean_gradient(Quantise::int8), -kRate);
  const NamedTensors plain = mean_gradient();
  EXPECT_FALSE(at::allclose(once.change.at("hidden"), plain.at("hidden") * -kRate, 1e-4, 1e-6));
}

// The second update, of another scale, tells what the averages of the first one's gradients are.
TEST_F(Updating, DividesByTheScaleOfTheLossWithEveryOptimizer) {
  for (const auto optimizer : every<OptimizerKind>()) {
    SCOPED_TRACE(config::name_of(optimizer));
    for (const double clip : {0.0, 0.01}) {
      const Updated plain = updated(update_config(optimizer, clip), {1, 1});
      const Updated scaled = updated(update_config(optimizer, clip), {8, 1});
      expect_near(scaled.change, plain.change);
      EXPECT_NEAR(scaled.numbers[0].norm, plain.numbers[0].norm, 1e-6);
      EXPECT_NEAR(scaled.numbers[0].loss, plain.numbers[0].loss, 1e-6);
    }
  }
}

}  // namespace
}  // namespace heed::train
