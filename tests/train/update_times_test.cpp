#include "train/update_times.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace heed::train {
namespace {

TEST(UpdateTimes, AreThereForBothPrecisionsAndDrawNoRandomNumbers) {
  for (const auto type : {model::ModelType::transformer, model::ModelType::rnn}) {
    model::ModelConfig config;
    config.type = type;
    config.width = config.embedding_size = config.hidden_size = 24;
    config.feed_forward = 40;
    config.heads = 2;
    config.encoder_layers = config.decoder_layers = config.layers = 1;
    at::manual_seed(3);
    const at::Tensor drawn = at::rand({4});
    at::manual_seed(3);
    const PrecisionTimes times = update_times(config, {.vocabulary = 70, .tokens = 100});
    EXPECT_GT(times.fp32, 0);
    EXPECT_GT(times.bf16, 0);
    EXPECT_TRUE(at::equal(at::rand({4}), drawn));
  }
}

}  // namespace
}  // namespace heed::train
