// Twenty updates of small models, held to the losses they had when they were known to be right: a
// change that is meant to change nothing shows here.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/batches.h"
#include "model/model.h"
#include "own_optimizer.h"
#include "toy_model.h"
#include "train/schedule.h"
#include "train/trainer.h"
#include "train/update.h"

namespace heed::train {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

/// Losses per token of updates 1, 5, 10, 15 and 20.
std::vector<double> losses_of(const model::ModelConfig& config) {
  at::set_num_threads(1);
  at::manual_seed(1);
  const auto model = model::make_model(config, {.source = toy::kVocab, .target = toy::kVocab});
  TrainConfig training;
  training.batch_size = 48;
  training.learning_rate = 0.01;
  training.warmup = 4;
  training.accumulate = 2;
  OwnOptimizer own(training, *model);
  Updater updater(*model, training, at::kCPU, at::kFloat, own.optimizer, nullptr);
  data::BatchStream stream(toy::corpus(), batch_options(training, {}, 1, 1));
  model->train();
  std::vector<double> losses;
  for (int64_t update = 1; update <= 20; ++update) {
    const auto report =
        updater.run(parts_of({stream.next()->batch, stream.next()->batch}, training),
                    {.update = update, .rate = learning_rate(training, {.update = update})});
    if (update == 1 || update % 5 == 0)
      losses.push_back(report.numbers().loss / static_cast<double>(report.tokens()));
  }
  return losses;
}

TEST(Fingerprint, OfATransformer) {
  model::ModelConfig config;
  config.type = model::ModelType::transformer;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 2;
  config.encoder_layers = 2;
  config.decoder_layers = 1;
  EXPECT_THAT(losses_of(config),
              Pointwise(DoubleNear(1e-4),
                        std::vector<double>{2.94478, 2.40424, 2.31019, 2.09462, 2.04038}));
  config.dropout = 0;
  EXPECT_THAT(
      losses_of(config),
      Pointwise(DoubleNear(1e-4), std::vector<double>{2.98584, 2.35839, 2.2239, 2.0533, 2.03689}));
}

TEST(Fingerprint, OfBahdanausModel) {
  model::ModelConfig config;
  config.type = model::ModelType::rnn;
  config.attention = "bahdanau";
  config.embedding_size = 10;
  config.hidden_size = 14;
  EXPECT_THAT(
      losses_of(config),
      Pointwise(DoubleNear(1e-4), std::vector<double>{2.36383, 2.22933, 2.21464, 2.08788, 2.0414}));
  config.dropout = 0;
  EXPECT_THAT(
      losses_of(config),
      Pointwise(DoubleNear(1e-4), std::vector<double>{2.35444, 2.22513, 2.19888, 2.05216, 2.0261}));
}

}  // namespace
}  // namespace heed::train
