// The learning rate that a run has at each update, in numbers worked by hand: where training stands
// is told to the schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/setup.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

class Rates : public Trainer {
 protected:
  TrainConfig config_of(ScheduleKind schedule, int64_t updates, int64_t warmup) const {
    TrainConfig config = quick(updates);
    config.schedule = schedule;
    config.warmup = warmup;
    config.log_every = 1;
    return config;
  }
  /// The learning rate of each update.
  std::vector<double> of(const TrainerSetup& setup) const {
    train(setup);
    std::vector<double> rates;
    for (const json& line : metrics(folder, "train"))
      rates.push_back(line.at("learning_rate").get<double>());
    return rates;
  }
};

// 16^-0.5 = 1/4 times t/8 up to the fourth update, then t^-0.5.
TEST_F(Rates, OfNoamDependOnTheModelsWidth) {
  TrainConfig config = config_of(ScheduleKind::noam, 7, 4);
  config.learning_rate = 0.1;
  auto setup = setup_of(folder.path(), config);
  setup.width = 16;
  EXPECT_THAT(of(setup), Pointwise(DoubleNear(1e-8),
                                   std::vector<double>{0.003125, 0.00625, 0.009375, 0.0125,
                                                       0.0111803399, 0.0102062073, 0.00944911183}));
}

// Update t comes after t - 1 of 9, and the warm-up ends at 3 of 9. So updates 4 to 9 have 0 to 5
// sixths of the cosine before them, half a turn in all.
TEST_F(Rates, OfCosineFallOverWhatFollowsTheWarmUp) {
  EXPECT_THAT(
      of(setup_of(folder.path(), config_of(ScheduleKind::cosine, 9, 3))),
      Pointwise(DoubleNear(1e-8), std::vector<double>{0.01 / 3, 0.02 / 3, 0.01, 0.01, 0.00933012702,
                                                      0.0075, 0.005, 0.0025, 0.000669872981}));
}

TEST_F(Rates, OfLuongHalveInTheLastThird) {
  EXPECT_THAT(
      of(setup_of(folder.path(), config_of(ScheduleKind::luong, 12, -1))),
      Pointwise(DoubleNear(1e-12), std::vector<double>{0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01,
                                                       0.01, 0.005, 0.0025, 0.00125, 0.000625}));
}

TEST_F(Rates, OfConstantRiseOverTheWarmUpAndStay) {
  EXPECT_THAT(
      of(setup_of(folder.path(), config_of(ScheduleKind::constant, 6, 4))),
      Pointwise(DoubleNear(1e-12), std::vector<double>{0.0025, 0.005, 0.0075, 0.01, 0.01, 0.01}));
}

TEST_F(Rates, FollowTheEpochsWhereTheseEndTheRun) {
  TrainConfig config = config_of(ScheduleKind::luong, 100000, -1);
  config.epochs = 4;
  config.accumulate = 2;
  const auto rates = of(setup_of(folder.path(), config));
  ASSERT_GE(rates.size(), 12U);
  EXPECT_EQ(rates.front(), 0.01);
  EXPECT_NEAR(rates.back(), 0.000625, 1e-12);
}

// The warm-up took 30 seconds, and 90 of now 120 are over: 60 of the 90 after the warm-up.
TEST_F(Rates, OfCosineKnowTheWarmUpInSecondsWhereTheLimitOfTimeIsRaised) {
  TrainConfig config = config_of(ScheduleKind::cosine, 4, 3);
  config.max_minutes = 1;
  train(setup_of(folder.path(), config));
  const std::string path = folder / "checkpoints/update-00000004.heed";
  Checkpoint saved = load_checkpoint(path);
  saved.progress.warmup_seconds = 30;
  saved.progress.seconds = 90;
  save_checkpoint(saved, path);

  config.updates = 10000;
  config.max_minutes = 2;
  auto setup = setup_of(folder.path(), config);
  setup.resume = true;
  bool updated = false;
  setup.updated = [&](int64_t) { updated = true; };
  setup.interrupted = [&] { return updated; };
  const auto rates = of(setup);
  ASSERT_EQ(rates.size(), 5U);
  EXPECT_NEAR(rates.back(), 0.0025, 1e-4);
}

// BLEU falls at updates 4 and 8, and an improvement takes nothing back.
TEST_F(Rates, OfPlateauFallWithEachValidationThatIsNoImprovement) {
  TrainConfig config = config_of(ScheduleKind::plateau, 10, 0);
  config.validate_every = 2;
  config.early_stopping.metric = Metric::bleu;
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();
  setup.scores = [scores = std::vector<double>{20, 10, 30, 5, 1}, next = 0](
                     model::Model&, int64_t) mutable { return bleu(scores.at(next++)); };
  EXPECT_THAT(of(setup),
              Pointwise(DoubleNear(1e-12), std::vector<double>{0.01, 0.01, 0.01, 0.01, 0.005, 0.005,
                                                               0.005, 0.005, 0.0025, 0.0025}));
}

}  // namespace
}  // namespace heed::train
