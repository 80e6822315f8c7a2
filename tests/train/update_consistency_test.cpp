// Two predictions of each pair: what is cut, what it costs when nothing differs, and every kind of
// model.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/batch.h"
#include "model/kinds.h"
#include "model/model.h"
#include "own_optimizer.h"
#include "train/loss.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

TrainConfig config_of(Consistency consistency, double weight = 3, double share = 0.05) {
  TrainConfig config;
  config.consistency = consistency;
  config.consistency_weight = weight;
  config.consistency_share = share;
  return config;
}

TEST(Consistency, WeightsAreThoseOfThePapers) {
  const auto drop = pair_weights(config_of(Consistency::rdrop, 5)).value();
  EXPECT_EQ(std::vector({drop.first, drop.second, drop.forward, drop.backward}),
            std::vector({0.5, 0.5, 1.25, 1.25}));
  const auto cut = pair_weights(config_of(Consistency::simcut, 3)).value();
  EXPECT_EQ(std::vector({cut.first, cut.second, cut.forward, cut.backward}),
            std::vector({1.0, 0.0, 3.0, 0.0}));
  EXPECT_FALSE(pair_weights(config_of(Consistency::none)));
}

TEST(Consistency, CutsTheSecondHalfAlone) {
  const data::Batch batch = toy::batch_of(toy::copies(7));
  Random random(1);
  const data::Batch twice = both_of(batch, config_of(Consistency::rdrop), random);
  EXPECT_EQ(twice.size, 14);
  const auto half = [](const std::vector<int64_t>& values, bool second) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    return second ? std::vector(middle, values.end()) : std::vector(values.begin(), middle);
  };
  EXPECT_EQ(half(twice.source, false), batch.source);
  EXPECT_EQ(half(twice.source, true), batch.source);
  EXPECT_EQ(half(twice.target_output, true), batch.target_output);
  EXPECT_EQ(half(twice.target_lengths, true), batch.target_lengths);
  // Everything is cut but padding and what is to be predicted.
  const data::Batch cut = both_of(batch, config_of(Consistency::simcut, 3, 1), random);
  EXPECT_EQ(half(cut.source, false), batch.source);
  EXPECT_EQ(half(cut.target_input, false), batch.target_input);
  EXPECT_EQ(half(cut.target_output, true), batch.target_output);
  EXPECT_EQ(std::ranges::count(cut.source, model::kCut), batch.source_tokens());
  EXPECT_EQ(std::ranges::count(cut.target_input, model::kCut), batch.target_tokens());
}

TEST(Consistency, CutsAboutTheShareThatIsWanted) {
  const data::Batch batch = toy::batch_of(toy::copies(2000));
  Random random(1);
  const data::Batch cut = both_of(batch, config_of(Consistency::simcut, 3, 0.25), random);
  const auto n = static_cast<double>(batch.source_tokens());
  EXPECT_NEAR(static_cast<double>(std::ranges::count(cut.source, model::kCut)), 0.25 * n,
              5 * std::sqrt(n * 0.25 * 0.75));
}

struct OneUpdate {
  UpdateNumbers numbers;
  NamedTensors weights;
};

OneUpdate update(const model::ModelConfig& kind, TrainConfig training, int64_t parts = 1) {
  training.optimizer = OptimizerKind::sgd;
  training.clip_norm = 0;
  training.micro_batches = parts;
  const model::ModelPtr model = model::testing::model_of(kind, kPieces);
  OwnOptimizer own(training, *model);
  Updater updater(*model, training, at::kCPU, at::kFloat, own.optimizer, nullptr, [&] {
    return model::make_model(kind, {kPieces, kPieces});
  });
  model->train();
  const auto batches = parts_of({toy::batch_of(toy::copies(5, 10))}, training);
  OneUpdate out{updater.run(batches, {.update = 1, .rate = 0.1, .seed = 3}).numbers(), {}};
  for (const auto& [name, weight] : model::named_weights(*model))
    out.weights[name] = weight.clone();
  return out;
}

// Without dropout both predictions of rdrop are one, and so are those of simcut with nothing cut.
TEST(Consistency, CostsNothingWhereNothingDiffers) {
  for (const auto& [name, kind] : model::testing::every_kind()) {
    SCOPED_TRACE(name);
    const OneUpdate plain = update(kind, config_of(Consistency::none));
    for (const auto& training :
         {config_of(Consistency::rdrop, 5), config_of(Consistency::simcut, 3, 0)}) {
      const OneUpdate twice = update(kind, training);
      EXPECT_NEAR(twice.numbers.loss, plain.numbers.loss, 1e-4 * plain.numbers.loss);
      EXPECT_NEAR(twice.numbers.nll, plain.numbers.nll, 1e-4 * plain.numbers.nll);
      for (const auto& [weight, value] : plain.weights)
        EXPECT_TRUE(at::allclose(value, twice.weights.at(weight), 1e-4, 1e-5)) << weight;
    }
  }
}

TEST(Consistency, AddsToTheLossOfEveryKindOfModelWhatDiffers) {
  for (const auto& [name, config] : model::testing::every_kind()) {
    SCOPED_TRACE(name);
    auto kind = config;
    kind.dropout = 0.2;
    for (const auto consistency : {Consistency::rdrop, Consistency::simcut}) {
      const OneUpdate light = update(kind, config_of(consistency, 0, 0.3));
      const OneUpdate heavy = update(kind, config_of(consistency, 9, 0.3));
      EXPECT_GT(heavy.numbers.loss, light.numbers.loss + 1e-4);  // KL >= 0
      EXPECT_NEAR(heavy.numbers.nll, light.numbers.nll, 1e-4 * light.numbers.nll);
      EXPECT_TRUE(heavy.numbers.finite());
    }
  }
}

TEST(Consistency, DrawsCutsFromTheSeedOfThePart) {
  const auto kind = model::testing::every_kind().front().config;
  const auto training = config_of(Consistency::simcut, 3, 0.5);
  const OneUpdate one = update(kind, training, 3), again = update(kind, training, 3);
  EXPECT_EQ(one.numbers.loss, again.numbers.loss);
  for (const auto& [name, weight] : one.weights)
    EXPECT_TRUE(at::equal(weight, again.weights.at(name))) << name;
}

}  // namespace
}  // namespace heed::train
