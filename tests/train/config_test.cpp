#include "train/config.h"

#include <gtest/gtest.h>

#include "config/sound_schema.h"
#include "message.h"

namespace heed::train {
namespace {

std::string wrong(const TrainConfig& config) {
  return message_of<config::ConfigError>([&] { check(config); });
}

TEST(TrainConfig, IsASoundSchemaWhoseDefaultsPass) {
  config::expect_sound_schema<TrainConfig>("training");
  EXPECT_EQ(wrong({}), "(nothing thrown)");
}

TEST(TrainConfig, ThereAreTwoBetas) {
  TrainConfig config;
  config.betas = {0.9};
  EXPECT_EQ(wrong(config), "training.betas: got 1 of them, expected two, as in [0.9, 0.98]");
}

TEST(TrainConfig, SchedulesThatDivideByTheWarmupNeedOne) {
  TrainConfig config;
  config.warmup = 0;
  EXPECT_EQ(wrong(config),
            "training.warmup: inverse_sqrt needs at least 1 update; schedule: constant needs none");
  config.schedule = ScheduleKind::cosine;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
}

TEST(TrainConfig, TheWarmupThatIsNotSetDependsOnTheSchedule) {
  TrainConfig config;
  EXPECT_EQ(warmup_updates(config), 4000);
  for (const ScheduleKind level : {ScheduleKind::constant, ScheduleKind::luong}) {
    config.schedule = level;
    config.warmup = -1;
    EXPECT_EQ(warmup_updates(config), 0);
    config.warmup = 4000;
    EXPECT_EQ(warmup_updates(config), 4000);
  }
}

TEST(TrainConfig, StoppingByBleuNeedsBleu) {
  TrainConfig config;
  config.early_stopping.metric = StopMetric::bleu;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.validate_bleu = false;
  EXPECT_EQ(wrong(config),
            "training.early_stopping.metric: bleu is not computed; set training.validate_bleu: "
            "true, or metric: loss");
}

}  // namespace
}  // namespace heed::train
