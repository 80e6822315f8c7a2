// The learning rate that a run has at each update, in numbers worked by hand: where training stands
// is told to the schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/limits.h"
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
    return of_run_in(folder);
  }
  static std::vector<double> of_run_in(const TemporaryFolder& run) {
    std::vector<double> rates;
    for (const json& line : metrics(run, "train"))
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

/// Where time ends a training.
class RatesByTime : public Rates {
 protected:
  /// The learning rate of the fifth of `updates`, of which 3 are the warm-up, in a limit of so many
  /// minutes. The warm-up took 30 seconds, and `seconds` of all are over.
  double fifth(const TemporaryFolder& run, int64_t updates, double minutes, double seconds) const {
    TrainConfig config = config_of(ScheduleKind::cosine, 4, 3);
    config.max_minutes = minutes;
    train(setup_of(run.path(), config));
    const std::string path = run / "checkpoints/update-00000004.heed";
    Checkpoint saved = load_checkpoint(path);
    saved.progress.warmup_seconds = 30;
    saved.progress.seconds = seconds;
    save_checkpoint(saved, path);

    config.updates = updates;
    auto setup = setup_of(run.path(), config);
    setup.resume = true;
    bool updated = false;
    setup.updated = [&](int64_t) { updated = true; };
    setup.interrupted = [&] { return updated; };
    train(setup);
    const auto rates = of_run_in(run);
    EXPECT_EQ(rates.size(), 5U);
    return rates.back();
  }
};

// 60 of the 90 seconds after the warm-up are over, and a twentieth of the 90 is a reserve: 55.5 of
// 85.5, an angle of 116.84 degrees.
TEST_F(RatesByTime, FallOverTheSecondsAfterTheWarmUp) {
  EXPECT_NEAR(fifth(folder, 10000, 2, 90), 0.00274, 1e-4);
}

// Half of a minute was for the first third of the updates. Of the other half 2 seconds are over,
// and of the six updates after the warm-up one: these are ahead.
TEST_F(RatesByTime, AreThoseOfTheUpdatesAfterASlowWarmUp) {
  EXPECT_NEAR(fifth(folder, 9, 1, 32), 0.00933012702, 1e-8);
}

// 5.2 of 30 seconds are more than one of six updates; without the reserve they are 3.7 of 28.5, and
// less. 7.5 seconds, 6 of 28.5, are more with it, too: an angle of 37.9 degrees.
TEST_F(RatesByTime, AreThoseOfTheUpdatesAfterAPauseThatTheReserveCovers) {
  EXPECT_NEAR(fifth(folder, 9, 1, 35.2), 0.00933012702, 1e-8);
  EXPECT_NEAR(fifth(other, 9, 1, 37.5), 0.00894570, 2e-4);
}

TEST_F(RatesByTime, AreEqualToThoseWithoutALimitThatIsFar) {
  TrainConfig config = config_of(ScheduleKind::cosine, 9, 3);
  const auto without = of(setup_of(folder.path(), config));
  config.max_minutes = 60;
  train(setup_of(other.path(), config));
  EXPECT_EQ(of_run_in(other), without);
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

// Ten updates in ten seconds: 990 more take 16:30.
TEST_F(Rates, OfWorkTellWhatToExpect) {
  TrainConfig config = quick(1000);
  config.validate_every = 100;
  TrainerSetup setup = setup_of(folder.path(), config);
  setup.validation = validation();
  const auto told = [&](double seconds) {
    return TrainingLimits(setup, config).expectation({.update = 10, .seconds = seconds});
  };
  EXPECT_EQ(told(10),
            "at this pace all of 1,000 updates are made in 16:30; the next validation comes at "
            "update 100, in 1:30");
  EXPECT_EQ(told(0.5), "");
  config.max_minutes = 1.5;
  EXPECT_EQ(told(10),
            "at this pace 90 of 1,000 updates are made in 1:20 (training.max_minutes: 1:30); the "
            "only validation comes at the end, training.validate_every is 100");
  setup.validation = {};
  EXPECT_EQ(told(10),
            "at this pace 90 of 1,000 updates are made in 1:20 (training.max_minutes: 1:30)");
}

}  // namespace
}  // namespace heed::train
