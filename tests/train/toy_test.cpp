// The optimizer and the schedule that docs/extending.md adds. Each is one file and one line of a
// table: nothing else in this program knows their names.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/io.h"
#include "guide.h"
#include "own_optimizer.h"
#include "train/kinds.h"
#include "train/schedule.h"
#include "two_tensors.h"

namespace heed::train {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;

TEST(AToyOptimizer, IsOneOfTheTableWithoutAnotherEdit) {
  TrainConfig config;
  config::set(config, "optimizer=momentum");
  EXPECT_NO_THROW(check(config));
  EXPECT_EQ(optimizer_info(config.optimizer).moments.size(), 1U);  // which memory is counted for
  const TwoTensors model;
  OwnOptimizer optimizer(config, model);
  EXPECT_THAT(optimizer.state(), ElementsAre(Key("velocity/large"), Key("velocity/small")));
  const Tensor one = at::ones({}), zero = at::zeros({});
  for (const int64_t update : {1, 2}) {
    model.set_gradients(update);  // 0.5, then 0.25
    optimizer.step(0.1, one, zero);
  }
  // v: 0.5, then 0.9 * 0.5 + 0.25 = 0.7
  EXPECT_NEAR(model.small[0].item<double>(), 1 - 0.05 - 0.07, 1e-6);
  EXPECT_NEAR(optimizer.state().at("velocity/small")[0].item<double>(), 0.7, 1e-6);
}

TEST(AToySchedule, IsOneOfTheTableWithoutAnotherEdit) {
  TrainConfig config;
  config::set(config, "schedule=linear");
  config.learning_rate = 2;
  EXPECT_NO_THROW(check(config));
  EXPECT_EQ(warmup_updates(config), 4000);
  config.warmup = 10;
  const auto rate = [&](int64_t update, double share) {
    return learning_rate(config, {.update = update, .share = share, .warmup_share = 0.2});
  };
  EXPECT_DOUBLE_EQ(rate(5, 0.1), 1);  // half of the warm-up
  EXPECT_DOUBLE_EQ(rate(11, 0.2), 2);
  EXPECT_DOUBLE_EQ(rate(31, 0.6), 1);
  EXPECT_DOUBLE_EQ(rate(51, 1), 0);
}

TEST(ToysOfTraining, AreThoseOfTheGuide) {
  for (const char* file :
       {"momentum.cpp", "linear.cpp", "train/optimizers.def", "train/schedules.def"})
    expect_in_guide(std::string("tests/train/toy/") + file);
}

}  // namespace
}  // namespace heed::train
