// The last line of a training, of numbers that are given.
#include "run/ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace heed::run {
namespace {

using train::StopReason;

constexpr int64_t kMany = 50000;  // pairs

/// 236 of 11,000 updates in 59 seconds.
train::TrainResult result_of(StopReason limit, double bleu) {
  train::TrainResult result;
  result.updates = 236;
  result.planned = 11000;
  result.best_update = 236;
  result.bleu_of_best = bleu;
  result.stopped = result.limit = limit;
  result.minutes = 59. / 60;
  return result;
}

train::TrainConfig config_of(int64_t updates) {
  train::TrainConfig config;
  config.updates = updates;
  config.validate_every = 50;
  return config;
}

TEST(Ending, ByTimeTellsTheShareTheBleuAndTheTimeOfTheRest) {
  train::TrainConfig config = config_of(11000);
  config.max_minutes = 1;
  // 10,764 updates of a quarter of a second.
  EXPECT_EQ(ending_text(result_of(StopReason::minutes, 0.44), config, kMany, "runs/it's"),
            "ended at training.max_minutes with 236 of 11,000 planned updates, BLEU 0.4 in "
            "validation: train on "
            "with `heed train 'runs/it'\\''s' --resume --set training.max_minutes=0` (about "
            "44:51); heed translate 'runs/it'\\''s' uses what was learned");
}

TEST(Ending, OfAWholeTrainingThatLearnedEnoughIsShort) {
  train::TrainResult result = result_of(StopReason::updates, kLittleBleu);
  result.planned = result.updates;
  EXPECT_EQ(ending_text(result, config_of(236), kMany, "run"), "done: heed translate run");
  result.bleu_of_best.reset();  // nothing is known
  EXPECT_EQ(ending_text(result, config_of(236), kMany, "run"), "done: heed translate run");
}

TEST(Ending, OfAWholeTrainingThatLearnedLittleDoublesItsUpdates) {
  train::TrainResult result = result_of(StopReason::updates, 9.94);
  result.updates = result.planned = result.best_update = 1500;
  EXPECT_EQ(ending_text(result, config_of(1500), kMany, "run"),
            "1,500 updates, BLEU 9.9 in validation: train on with `heed train run --resume --set "
            "training.updates=3000` (about 59s); heed translate run uses what was learned");
}

TEST(Ending, DoesNotAdviseMoreUpdatesWhereTheBestOneWasLongBefore) {
  train::TrainResult result = result_of(StopReason::updates, 3);
  result.updates = result.planned = 1500;
  result.best_update = 1125;
  EXPECT_EQ(ending_text(result, config_of(1500), kMany, "run"),
            "1,500 updates, BLEU 3.0 in validation, the best at update 1,125: more pairs would "
            "help, more updates "
            "of these would not (docs/first_steps.md); heed translate run uses what was learned");
  result.best_update = 1126;
  EXPECT_THAT(ending_text(result, config_of(1500), kMany, "run"),
              ::testing::HasSubstr("train on with"));
}

TEST(Ending, OfFewPairsRepeatsWhatInitAdvises) {
  train::TrainResult result = result_of(StopReason::updates, 0.7);
  result.updates = result.planned = result.best_update = 1500;
  EXPECT_EQ(ending_text(result, config_of(1500), 1799, "run"),
            "1,500 updates, BLEU 0.7 in validation: train on with `heed train run --resume --set "
            "training.updates=3000` (about 59s); 1799 pairs are few, and a ready model that is "
            "tuned by them gives more: --from MODEL with heed init; heed translate run uses what "
            "was learned");
  train::TrainConfig tuned = config_of(1500);
  tuned.from = "runs/base";
  for (const std::string& told : {ending_text(result, tuned, 1799, "run"),
                                  ending_text(result, config_of(1500), kFewPairs, "run")})
    EXPECT_THAT(told, ::testing::Not(::testing::HasSubstr("are few")));
}

TEST(Ending, ByPatienceDoublesItOnlyWhereLittleWasLearned) {
  train::TrainConfig config = config_of(11000);
  config.early_stopping.patience = 3;
  EXPECT_EQ(ending_text(result_of(StopReason::patience, 21.26), config, kMany, "run"),
            "done with 236 of 11,000 planned updates, BLEU 21.3 in validation, and validations got "
            "no better: "
            "heed translate run");
  EXPECT_THAT(ending_text(result_of(StopReason::patience, 1), config, kMany, "run"),
              ::testing::HasSubstr("--resume --set training.early_stopping.patience=6`"));
}

TEST(Ending, AfterTheLastStageSaysThatStagesAreFixed) {
  train::TrainResult result = result_of(StopReason::stages, 20);
  EXPECT_EQ(ending_text(result, config_of(11000), kMany, "run"), "done: heed translate run");
  result.bleu_of_best = 1;
  EXPECT_THAT(ending_text(result, config_of(236), kMany, "run"),
              ::testing::StartsWith(
                  "236 updates, BLEU 1.0 in validation: data.stages are over, and fixed for "
                  "this run; more of them need a new one (--overwrite)"));
}

}  // namespace
}  // namespace heed::run
