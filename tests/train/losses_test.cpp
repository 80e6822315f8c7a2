// The promises of each loss of the list.
#include "train/losses.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "config/io.h"
#include "data/batch.h"
#include "toy_model.h"
#include "train/loss.h"
#include "train/progress.h"

namespace heed::train {
namespace {

TEST(AuxiliaryLosses, AreOfTheRunWhereTheirKeyHasAWeight) {
  EXPECT_TRUE(auxiliary_losses({}).empty());
  std::set<std::string> names;
  for (const AuxiliaryLoss& loss : all_losses()) {
    SCOPED_TRACE(loss.key);
    EXPECT_TRUE(names.insert(loss.name).second);
    TrainConfig config;
    config::set(config, loss.key + "=0.5");
    const auto own = auxiliary_losses(config);
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own[0].name, loss.name);
    EXPECT_EQ(own[0].weight, 0.5);
    EXPECT_EQ(count_numbers(config), count_numbers({}) + 1);
  }
}

TEST(AuxiliaryLosses, AreAddedWithTheirWeightsAndComeAmongTheNumbers) {
  const data::Batch batch = toy::batch_of(toy::linked(toy::copies(3)));
  const auto options = at::TensorOptions(at::kDouble);
  const Tensor logs =
      at::log_softmax(at::rand({3, batch.target_length, batch.source_length}, options), -1);
  const Tensor features = at::rand({3, batch.target_length, 5}, options);
  for (const AuxiliaryLoss& loss : all_losses()) {
    SCOPED_TRACE(loss.key);
    TrainConfig config;
    config::set(config, loss.key + "=0.5");
    LossSum sum{at::scalar_tensor(7, options), at::scalar_tensor(3, options)};
    add_losses(sum, {batch, config, features, logs});
    const Tensor numbers = sum.numbers();
    ASSERT_EQ(numbers.numel(), count_numbers(config));
    EXPECT_EQ(numbers[1].item<double>(), 3);
    EXPECT_NEAR(numbers[0].item<double>(), 7 + 0.5 * numbers[2].item<double>(), 1e-12);
  }
}

TEST(AuxiliaryLosses, AreInTheWindowOfACheckpoint) {
  for (const AuxiliaryLoss& loss : all_losses()) {
    Progress progress;
    progress.interval.terms[loss.name] = 3;
    const std::string text = progress.to_json();
    EXPECT_EQ(nlohmann::json::parse(text).at("window_" + loss.name), 3);
    EXPECT_EQ(Progress::from_json(text, "here").interval.terms.at(loss.name), 3);
  }
}

}  // namespace
}  // namespace heed::train
