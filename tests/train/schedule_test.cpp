#include "train/schedule.h"

#include <gtest/gtest.h>

namespace heed::train {
namespace {

TrainConfig config_of(ScheduleKind kind, double rate, int64_t warmup) {
  TrainConfig config;
  config.schedule = kind;
  config.learning_rate = rate;
  config.warmup = warmup;
  return config;
}

TEST(Schedule, ConstantStays) {
  const auto config = config_of(ScheduleKind::constant, 0.3, -1);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 1}), 0.3);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 99999, .share = 1}), 0.3);
}

TEST(Schedule, InverseSquareRootRisesThenFalls) {
  const auto config = config_of(ScheduleKind::inverse_sqrt, 0.001, 400);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 1}), 0.0000025);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 100}), 0.00025);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 400}), 0.001);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 1600}), 0.0005);
}

TEST(Schedule, NoamIsThePapersFormula) {
  const auto config = config_of(ScheduleKind::noam, 1, 4000);
  // 512^-0.5 = 0.0441942; * 4000^-0.5 = 0.0158114 at the top; 16000: half of it.
  EXPECT_NEAR(learning_rate(config, {.update = 4000, .width = 512}), 6.98771e-4, 1e-9);
  EXPECT_NEAR(learning_rate(config, {.update = 1, .width = 512}), 1.746928e-7, 1e-12);
  EXPECT_NEAR(learning_rate(config, {.update = 16000, .width = 512}), 3.493856e-4, 1e-9);
}

TEST(Schedule, CosineGoesToZeroOverWhatFollowsTheWarmUp) {
  const auto config = config_of(ScheduleKind::cosine, 2, 10);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 5, .share = 0.04, .warmup_share = 0.1}), 1);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 10, .share = 0.1, .warmup_share = 0.1}), 2);
  // A third of the rest: (1 + cos 60 degrees) / 2 = 3/4.
  EXPECT_NEAR(learning_rate(config, {.update = 40, .share = 0.4, .warmup_share = 0.1}), 1.5, 1e-12);
  EXPECT_NEAR(learning_rate(config, {.update = 55, .share = 0.55, .warmup_share = 0.1}), 1, 1e-12);
  EXPECT_NEAR(learning_rate(config, {.update = 100, .share = 1, .warmup_share = 0.1}), 0, 1e-12);
  // Where the warm-up is all there is, its last update has the full rate.
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 10, .share = 1, .warmup_share = 1}), 2);
}

TEST(Schedule, PlateauFallsWithEachReduction) {
  auto config = config_of(ScheduleKind::plateau, 1, 4);
  config.decay = 0.5;
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 3}), 0.75);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 9, .reductions = 0}), 1);
  EXPECT_DOUBLE_EQ(learning_rate(config, {.update = 9, .reductions = 3}), 0.125);
}

TEST(Schedule, LuongHalvesFourTimesInTheLastThird) {
  const auto config = config_of(ScheduleKind::luong, 1, -1);
  const auto at = [&](double share) {
    return learning_rate(config, {.update = 7, .share = share});
  };
  EXPECT_DOUBLE_EQ(at(0), 1);
  EXPECT_DOUBLE_EQ(at(0.66), 1);
  EXPECT_DOUBLE_EQ(at(8. / 12), 0.5);
  EXPECT_DOUBLE_EQ(at(9. / 12), 0.25);
  EXPECT_DOUBLE_EQ(at(10. / 12), 0.125);
  EXPECT_DOUBLE_EQ(at(11. / 12), 0.0625);
  EXPECT_DOUBLE_EQ(at(1), 0.0625);
}

// The first four of 12 updates rise by quarters; luong halves from the ninth on.
TEST(Schedule, ConstantAndLuongRiseOverAWarmUpThatIsSet) {
  const auto constant = config_of(ScheduleKind::constant, 0.2, 4);
  const auto luong = config_of(ScheduleKind::luong, 0.2, 4);
  const double level[] = {0.05, 0.1, 0.15, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
  const double falling[] = {0.05, 0.1, 0.15, 0.2, 0.2, 0.2, 0.2, 0.2, 0.1, 0.05, 0.025, 0.0125};
  for (int64_t t = 1; t <= 12; ++t) {
    const SchedulePoint point{.update = t, .share = static_cast<double>(t - 1) / 12};
    EXPECT_DOUBLE_EQ(learning_rate(constant, point), level[t - 1]) << t;
    EXPECT_DOUBLE_EQ(learning_rate(luong, point), falling[t - 1]) << t;
  }
}

// The middle of a warm-up of 12 where luong has halved twice: 6/12 * 1/4.
TEST(Schedule, TheWarmUpMultipliesWhatHasFallen) {
  EXPECT_DOUBLE_EQ(
      learning_rate(config_of(ScheduleKind::luong, 1, 12), {.update = 6, .share = 9. / 12}), 0.125);
}

}  // namespace
}  // namespace heed::train
