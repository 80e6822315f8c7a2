#include "model/description/layer_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::model {
namespace {

using ::testing::UnorderedElementsAre;
using Rows = LayerSize::Rows;

/// Two layers of encoder, one of decoder.
ModelConfig transformer() {
  ModelConfig config;
  config.width = 8;
  config.feed_forward = 32;
  config.heads = 4;
  config.encoder_layers = 2;
  config.decoder_layers = 1;
  return config;
}

/// Layers of which so many read the source.
LayerSize source(int64_t in, int64_t out, int64_t count, int64_t of_source) {
  return {in, out, count, Rows::all, of_source};
}

// Three self-attentions of [8, 24] and [8, 8]; a cross-attention of [8, 8], [8, 16] and [8, 8].
TEST(LayerSizes, OfATransformer) {
  EXPECT_THAT(layer_sizes(transformer(), 100),
              UnorderedElementsAre(source(8, 24, 3, 2), source(8, 8, 5, 2), source(8, 16, 1, 1),
                                   source(8, 32, 3, 2), source(32, 8, 3, 2),
                                   LayerSize{8, 100, 1, Rows::output}));
}

// One head of keys and of values, of width 2: [8, 8 + 2 + 2], and [8, 4] in cross-attention.
TEST(LayerSizes, OfSharedHeads) {
  ModelConfig config = transformer();
  config.kv_heads = 1;
  EXPECT_THAT(layer_sizes(config, 100),
              UnorderedElementsAre(source(8, 12, 3, 2), source(8, 8, 5, 2), source(8, 4, 1, 1),
                                   source(8, 32, 3, 2), source(32, 8, 3, 2),
                                   LayerSize{8, 100, 1, Rows::output}));
}

// Two self-attentions are left. An SSRU has two layers [8, 8]; the average of all earlier words has
// feed-forward layers and gates [16, 16].
TEST(LayerSizes, OfDecodersWithoutSelfAttention) {
  ModelConfig config = transformer();
  config.decoder = DecoderKind::ssru;
  EXPECT_THAT(layer_sizes(config, 100),
              UnorderedElementsAre(source(8, 24, 2, 2), source(8, 8, 6, 2), source(8, 16, 1, 1),
                                   source(8, 32, 3, 2), source(32, 8, 3, 2),
                                   LayerSize{8, 100, 1, Rows::output}));
  config.decoder = DecoderKind::average;
  EXPECT_THAT(layer_sizes(config, 100),
              UnorderedElementsAre(source(8, 24, 2, 2), source(8, 8, 4, 2), source(8, 16, 1, 1),
                                   LayerSize{16, 16, 1}, source(8, 32, 4, 2), source(32, 8, 4, 2),
                                   LayerSize{8, 100, 1, Rows::output}));
}

// A GRU has three gates: two directions of half the width, [6, 15] and steps [5, 15]; the decoder
// [6, 30] and steps [10, 30]; the read-out [10, 6] of state and context.
TEST(LayerSizes, OfARecurrentModel) {
  ModelConfig config;
  config.type = ModelType::rnn;
  config.attention = "luong_general";
  config.embedding_size = 6;
  config.hidden_size = 10;
  EXPECT_THAT(layer_sizes(config, 100),
              UnorderedElementsAre(source(6, 15, 2, 2), LayerSize{5, 15, 2, Rows::step},
                                   LayerSize{6, 30, 1}, LayerSize{10, 30, 1, Rows::step},
                                   LayerSize{10, 6, 2}, LayerSize{6, 100, 1, Rows::output}));
  // The context enters the cell, and the last word the read-out.
  config.attention = "bahdanau";
  EXPECT_THAT(layer_sizes(config, 100),
              UnorderedElementsAre(source(6, 15, 2, 2), LayerSize{5, 15, 2, Rows::step},
                                   LayerSize{6, 30, 1}, LayerSize{10, 30, 2, Rows::step},
                                   LayerSize{10, 6, 2}, LayerSize{6, 6, 1},
                                   LayerSize{6, 100, 1, Rows::output}));
}

}  // namespace
}  // namespace heed::model
