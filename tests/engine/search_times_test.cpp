#include "engine/search_times.h"

#include <gtest/gtest.h>

#include "kernels/rows/versions.h"

namespace heed::engine {
namespace {

TEST(SearchTimes, AreThereForAllFormatsThatTheProcessorMultiplies) {
  for (const auto type : {model::ModelType::transformer, model::ModelType::rnn}) {
    model::ModelConfig config;
    config.type = type;
    config.width = 24;
    config.feed_forward = 40;
    config.heads = 2;
    config.embedding_size = 20;
    config.hidden_size = 36;
    config.encoder_layers = config.decoder_layers = config.layers = 1;
    for (const int64_t sentences : {1, 3, 100}) {
      const PrecisionTimes times =
          search_times(config, {.vocabulary = 70, .sentences = sentences, .beam = 2});
      EXPECT_GT(times.fp32, 0);
      EXPECT_GT(times.int8, 0);
      EXPECT_EQ(times.bf16 > 0, kernels::processor().bf16_products);
    }
  }
}

}  // namespace
}  // namespace heed::engine
