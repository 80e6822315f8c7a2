// The measurements of a validation, and what a run keeps of them.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <vector>

#include "data/batch.h"
#include "data/batches.h"
#include "data/example.h"
#include "model/model.h"
#include "train/validation.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

using ::testing::ElementsAre;

/// Validations in a row, one an update.
struct Recorded {
  Recorded(Metric metric, int64_t keep_best) {
    config.early_stopping.metric = metric;
    config.keep_best = keep_best;
    config.validate_every = 1;
  }
  bool add(double loss, std::optional<double> bleu = std::nullopt) {
    return add(loss, Metric::bleu, bleu);
  }
  bool add(double loss, Metric metric, std::optional<double> value) {
    ++progress.update;
    Validation validation;
    validation.loss = loss;
    validation.scores.values[metric] = value;
    return record(validation, config, progress);
  }
  std::vector<int64_t> best() const {
    std::vector<int64_t> updates;
    for (const Best& one : progress.best) updates.push_back(one.update);
    return updates;
  }

  TrainConfig config;
  Progress progress;
};

TEST(Record, KeepsTheBestOnesInTheirOrderAndCountsWhatIsNoImprovement) {
  Recorded run(Metric::loss, 3);
  EXPECT_TRUE(run.add(3));
  EXPECT_TRUE(run.add(1));
  EXPECT_THAT(run.best(), ElementsAre(2, 1));
  EXPECT_TRUE(run.add(2));  // the second best is none that patience waits for
  EXPECT_THAT(run.best(), ElementsAre(2, 3, 1));
  EXPECT_EQ(run.progress.stale, 1);
  EXPECT_TRUE(run.add(2));  // after its equal, and the worst one goes
  EXPECT_THAT(run.best(), ElementsAre(2, 3, 4));
  EXPECT_FALSE(run.add(2));
  EXPECT_THAT(run.best(), ElementsAre(2, 3, 4));
  EXPECT_EQ(run.progress.stale, 3);
  EXPECT_EQ(run.progress.reductions, 3);
  EXPECT_FALSE(run.add(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(run.progress.stale, 4);
  EXPECT_TRUE(run.add(0.5));
  EXPECT_THAT(run.best(), ElementsAre(7, 2, 3));
  EXPECT_EQ(run.progress.stale, 0);
  EXPECT_EQ(run.progress.reductions, 4);  // the rate does not rise again
  EXPECT_EQ(run.progress.lowest_loss, 0.5);
  EXPECT_EQ(run.progress.validated, 7);
}

// A run of 7 updates ends with a validation that one of 9 would not make.
TEST(Record, AValidationOutOfTurnMayBeTheBestAndCountsForNothingElse) {
  Recorded run(Metric::loss, 1);
  run.config.validate_every = 3;
  run.progress.update = 5;
  EXPECT_TRUE(run.add(2));
  EXPECT_TRUE(run.progress.at_the_best());
  EXPECT_FALSE(run.add(3));
  EXPECT_FALSE(run.progress.at_the_best());
  EXPECT_EQ(run.progress.stale, 0);
  EXPECT_EQ(run.progress.reductions, 0);
  EXPECT_TRUE(run.add(1));
  EXPECT_THAT(run.best(), ElementsAre(8));
  EXPECT_FALSE(run.add(2));  // as at update 6
  EXPECT_EQ(run.progress.stale, 1);
  EXPECT_EQ(run.progress.reductions, 1);
  EXPECT_TRUE(run.add(0.5));
  EXPECT_EQ(run.progress.stale, 1);
  run.progress.update = 11;
  EXPECT_FALSE(run.add(1.5));  // better than at 6 and 9
  EXPECT_EQ(run.progress.stale, 0);
  EXPECT_EQ(run.progress.reductions, 1);
}

TEST(Record, BleuDecidesWhereItIsToDecide) {
  Recorded run(Metric::bleu, 2);
  EXPECT_TRUE(run.add(1, 20));
  EXPECT_TRUE(run.add(0.5, 10));
  EXPECT_THAT(run.best(), ElementsAre(1, 2));
  EXPECT_EQ(run.progress.stale, 1);
  EXPECT_TRUE(run.add(2, 30));
  EXPECT_THAT(run.best(), ElementsAre(3, 1));
  EXPECT_FALSE(run.add(0.25));  // without BLEU
  EXPECT_EQ(run.progress.stale, 1);
  EXPECT_EQ(run.progress.lowest_loss, 0.25);
  EXPECT_EQ(run.progress.highest_bleu, 30);
  const Best& best = run.progress.best.front();
  EXPECT_EQ(best.score, 30);
  EXPECT_EQ(best.loss, 2);
  EXPECT_EQ(best.bleu, 30);
}

// BLEU is 0.00 for a while in the first validations of every language.
TEST(Record, BetweenEqualScoresTheLowerLossIsBetter) {
  Recorded run(Metric::bleu, 2);
  EXPECT_TRUE(run.add(5, 0));
  EXPECT_TRUE(run.add(4, 0));
  EXPECT_THAT(run.best(), ElementsAre(2, 1));
  EXPECT_EQ(run.progress.stale, 0);
  EXPECT_FALSE(run.add(6, 0));
  EXPECT_FALSE(run.add(5, 0));  // after its equal
  EXPECT_THAT(run.best(), ElementsAre(2, 1));
  EXPECT_EQ(run.progress.stale, 2);
  EXPECT_TRUE(run.add(3, 0));
  EXPECT_THAT(run.best(), ElementsAre(5, 2));
  EXPECT_EQ(run.progress.stale, 0);
  EXPECT_TRUE(run.add(7, 1));  // the score counts first
  EXPECT_THAT(run.best(), ElementsAre(6, 5));
}

TEST(Record, OfTerLessIsBetter) {
  Recorded run(Metric::ter, 2);
  EXPECT_TRUE(run.add(1, Metric::ter, 60));
  EXPECT_TRUE(run.add(2, Metric::ter, 50.5));
  EXPECT_THAT(run.best(), ElementsAre(2, 1));
  EXPECT_EQ(run.progress.stale, 0);
  EXPECT_FALSE(run.add(0.5, Metric::ter, 70));
  EXPECT_FALSE(run.add(0.25, 90));  // BLEU decides nothing
  EXPECT_EQ(run.progress.stale, 2);
  EXPECT_TRUE(run.add(1.5, Metric::ter, 50.5));  // the lower loss of two equal ones
  EXPECT_THAT(run.best(), ElementsAre(5, 2));
  EXPECT_EQ(run.progress.best.front().score, 50.5);
}

// The table says it of each metric, and the option of a command.
TEST(Record, EachMetricKnowsWhichIsBetter) {
  for (const score::MetricInfo& each : score::kMetrics) {
    if (each.metric == Metric::loss) continue;
    for (const bool lower : {false, true}) {
      if (lower && each.source != score::MetricSource::command) continue;
      Recorded run(each.metric, 1);
      run.config.early_stopping.lower_is_better = lower;
      EXPECT_TRUE(run.add(1, each.metric, 40)) << each.key;
      const bool less = lower || each.better == score::Better::less;
      EXPECT_EQ(run.add(1, each.metric, 30), less) << each.key;
      EXPECT_EQ(run.add(1, each.metric, 50), !less) << each.key;
    }
  }
}

class Measuring : public Trainer {
 protected:
  static Validation measured(model::Model& model, const std::vector<data::Batch>& batches) {
    const ScoreModel no_scores;
    const std::function<bool()> never;
    ranks::Group alone;
    return validate(model, {batches, no_scores, at::kCPU, at::kFloat, never, alone}).value();
  }
};

// Batches of other sizes, whose own means count for nothing.
TEST_F(Measuring, TheLossIsTheMeanOverAllTokensWithoutDropout) {
  toy::ToyModel model(/*dropout=*/0.5);
  model.eval();
  double sum = 0;
  int64_t tokens = 0;
  const at::NoGradGuard no_grad;
  for (const data::Example& pair : toy::copies(9)) {
    const data::Batch one = toy::batch_of({pair});
    const model::TargetInput input = make_target(one, at::kCPU).input;
    const Tensor features = model.features(model::make_source(one, at::kCPU), input);
    const Tensor gold = at::tensor(at::ArrayRef<int64_t>(one.target_output), at::kLong);
    sum +=
        at::cross_entropy_loss(model.logits(features).flatten(0, 1), gold, {}, at::Reduction::Sum)
            .item<double>();
    tokens += gold.size(0);
  }
  const auto batches = data::fixed_batches(*toy::corpus(9), 12);
  ASSERT_GT(batches.size(), 1U);
  model.train();
  const Validation validation = measured(model, batches);
  EXPECT_TRUE(model.is_training());
  EXPECT_EQ(validation.tokens, tokens);
  EXPECT_NEAR(validation.loss, sum / static_cast<double>(tokens), 1e-5);
  EXPECT_DOUBLE_EQ(validation.perplexity(), std::exp(validation.loss));
}

TEST_F(Measuring, WhatIsValidatedAndKeptIsTheAverageOfWeights) {
  auto config = quick(10);
  config.ema = 0.9;
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();
  const TrainResult result = train(setup);
  const auto raw = load_checkpoint(folder / "checkpoints/update-00000010.heed");
  for (const auto& [name, tensor] : read_weights(folder / "model.safetensors")) {
    EXPECT_TRUE(at::equal(tensor, raw.ema.at(name))) << name;
    EXPECT_FALSE(at::equal(tensor, raw.model.at(name))) << name;
  }
  EXPECT_NEAR(result.best_loss.value(), measured(*setup.model, setup.validation).loss, 1e-9);
}

}  // namespace
}  // namespace heed::train
