#include "train/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/sound_schema.h"
#include "message.h"

namespace heed::train {
namespace {

using ::testing::ElementsAre;

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
  config.early_stopping.metric = Metric::bleu;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.validate_bleu = false;
  EXPECT_EQ(wrong(config),
            "training.early_stopping.metric: bleu is not computed; set training.validate_bleu: "
            "true, or metric: loss");
}

TEST(TrainConfig, ACommandThatDecidesIsNamed) {
  TrainConfig config;
  config.early_stopping.metric = Metric::command;
  EXPECT_EQ(wrong(config),
            "training.early_stopping.metric: command, but there is none; set "
            "training.validation_command, or metric: loss");
  config.validation_command = "echo 1";
  EXPECT_EQ(wrong(config), "(nothing thrown)");
}

TEST(TrainConfig, OnlyOfACommandTheUserSaysWhichIsBetter) {
  for (const score::MetricInfo& each : score::kMetrics) {
    TrainConfig config;
    config.validation_command = "echo 1";
    config.early_stopping.metric = each.metric;
    EXPECT_EQ(wrong(config), "(nothing thrown)") << each.key;
    EXPECT_EQ(less_is_better(config.early_stopping), each.better == score::Better::less);
    config.early_stopping.lower_is_better = true;
    const bool of_command = each.source == score::MetricSource::command;
    EXPECT_EQ(wrong(config), of_command
                                 ? "(nothing thrown)"
                                 : "training.early_stopping.lower_is_better: is about metric: "
                                   "command; of " +
                                       std::string(each.key) +
                                       " heed knows which is better; set it to false");
    EXPECT_TRUE(less_is_better(config.early_stopping));
  }
}

TEST(TrainConfig, TranslationsAreScoredByWhatIsAskedForAndWhatDecides) {
  TrainConfig config;
  EXPECT_THAT(translation_metrics(config), ElementsAre(Metric::bleu));
  config.early_stopping.metric = Metric::bleu;
  EXPECT_THAT(translation_metrics(config), ElementsAre(Metric::bleu));
  config.validation_command = "echo 1";
  EXPECT_THAT(translation_metrics(config), ElementsAre(Metric::bleu, Metric::command));
  config.validate_bleu = false;
  config.validation_command = "";
  for (const score::MetricInfo& each : score::kMetrics) {
    config.early_stopping.metric = each.metric;
    const bool scored = each.metric != Metric::loss;
    EXPECT_EQ(translation_metrics(config),
              scored ? std::vector{each.metric} : std::vector<Metric>());
  }
}

}  // namespace
}  // namespace heed::train
