#include "model/description/config.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "config/sound_schema.h"
#include "message.h"

namespace heed::model {
namespace {

std::string wrong(const ModelConfig& config, bool joint = true) {
  return message_of<config::ConfigError>([&] { check(config, joint); });
}

constexpr const char* kFine = "(nothing thrown)";

ModelConfig rnn(const std::string& attention) {
  ModelConfig config;
  config.type = ModelType::rnn;
  config.attention = attention;
  return config;
}

TEST(ModelConfig, IsASoundSchemaWhoseDefaultsPass) {
  config::expect_sound_schema<ModelConfig>("model");
  EXPECT_EQ(wrong({}, false), kFine);
  EXPECT_EQ(wrong(rnn("bahdanau"), false), kFine);
}

TEST(ModelConfig, HeadsDivideTheWidth) {
  ModelConfig config;
  config.width = 510;
  EXPECT_EQ(wrong(config), "model.heads: 8 heads do not divide model.width 510 evenly");
}

TEST(ModelConfig, OnlyATransformerHasANormOfEmbeddings) {
  ModelConfig config;
  config.embedding_norm = true;
  EXPECT_EQ(wrong(config), kFine);
  config.type = ModelType::rnn;
  EXPECT_EQ(wrong(config), "model.embedding_norm: belongs to type: transformer; set it to false");
}

TEST(ModelConfig, NormsAreOfTransformersAlone) {
  for (const char* key : {"norm_epsilon", "embedding_norm"}) {
    EXPECT_TRUE(is_of_network(key, {})) << key;
    EXPECT_FALSE(is_of_network(key, rnn("bahdanau"))) << key;
  }
}

TEST(ModelConfig, HeadsOfKeysDivideTheHeads) {
  ModelConfig config;
  for (const int64_t fine : {0, 1, 2, 4, 8}) {
    config.kv_heads = fine;
    EXPECT_EQ(wrong(config), kFine) << fine;
  }
  config.kv_heads = 3;
  EXPECT_EQ(wrong(config), "model.kv_heads: 3 does not divide model.heads 8 evenly");
  config.kv_heads = 16;
  EXPECT_EQ(wrong(config), "model.kv_heads: 16 does not divide model.heads 8 evenly");
}

TEST(ModelConfig, RotaryPositionsNeedAnEvenHead) {
  ModelConfig config;
  config.width = 56;  // 8 heads of 7
  EXPECT_EQ(wrong(config), kFine);
  config.positions = "rotary";
  EXPECT_EQ(wrong(config),
            "model.positions: rotary turns pairs of numbers, so a head's width must be even; width "
            "/ heads is 7");
}

TEST(ModelConfig, HeadsOfRecurrentModelsDivideTheState) {
  ModelConfig config = rnn("bahdanau");
  config.hidden_size = 510;
  for (const int64_t fine : {1, 2, 3, 5}) {
    config.attention_heads = fine;
    EXPECT_EQ(wrong(config), kFine) << fine;
  }
  config.attention_heads = 4;
  EXPECT_EQ(wrong(config), "model.attention_heads: 4 heads do not divide model.hidden_size 510");
  config = rnn("none");
  config.attention_heads = 2;
  EXPECT_EQ(wrong(config),
            "model.attention_heads: attention: none has nothing to split; set it to 1");
  config = {};
  config.attention_heads = 2;
  EXPECT_EQ(wrong(config),
            "model.attention_heads: belongs to type: rnn; heads is the number of a Transformer's");
}

TEST(ModelConfig, LinearAttentionHasNoScoresToChange) {
  ModelConfig config;
  config.self_attention = "linear";
  for (const char* fine : {"sinusoidal", "learned", "rotary", "none", "tensor2tensor"}) {
    config.positions = fine;
    EXPECT_EQ(wrong(config), kFine) << fine;
  }
  for (const std::string positions : {"alibi", "relative", "t5"}) {
    config.positions = positions;
    EXPECT_EQ(wrong(config),
              "model.positions: " + positions +
                  " adds to scores, which self_attention: linear has not; use one of sinusoidal, "
                  "learned, rotary, none, tensor2tensor");
  }
  config.positions = "none";
  config.sliding_window = 3;
  EXPECT_EQ(wrong(config),
            "model.sliding_window: self_attention: linear sees everything; set it to 0");
}

TEST(ModelConfig, SparseAttentionHasAWindowAndItsPatternIsItsOwn) {
  ModelConfig config;
  config.self_attention = "sparse";
  EXPECT_EQ(wrong(config),
            "model.sliding_window: self_attention: sparse needs one; 1 is the smallest");
  config.sliding_window = 1;
  config.global_tokens = 2;
  EXPECT_EQ(wrong(config), kFine);
  config.self_attention = "softmax";
  EXPECT_EQ(wrong(config),
            "model.global_tokens, attention_stride: belong to self_attention: sparse");
}

TEST(ModelConfig, PrunedHeadsAreOnesThatAreThere) {
  ModelConfig config;
  config.heads = 2;
  config.pruned_heads = {"encoder.0.1", "cross.5.0"};
  EXPECT_EQ(wrong(config), kFine);
  config.pruned_heads = {"encoder.0.2"};
  EXPECT_EQ(wrong(config), "model.pruned_heads: names a head twice, or one that is not there");
  config.pruned_heads = {"encoder.0"};
  EXPECT_EQ(wrong(config),
            "model.pruned_heads: 'encoder.0' is not like encoder.0.2, decoder.0.2 or cross.0.2");
  config.pruned_heads = {"decoder.0.0", "decoder.0.1"};
  EXPECT_EQ(wrong(config), "model.pruned_heads: no head of decoder attention is left in layer 0");
}

TEST(ModelConfig, TheStateIsHalvedBetweenTheDirections) {
  ModelConfig config = rnn("luong_dot");
  config.hidden_size = 511;
  EXPECT_EQ(wrong(config),
            "model.hidden_size: got 511, expected an even number: each direction of the encoder "
            "has half of it");
}

TEST(ModelConfig, WindowsAndInputFeedingBelongToLuong) {
  for (const char* name : {"none", "bahdanau"}) {
    ModelConfig config = rnn(name);
    config.window = Window::local_p;
    EXPECT_EQ(wrong(config), "model.window: local_p needs one of the luong attentions, not '" +
                                 std::string(name) + "'");
    config = rnn(name);
    config.input_feeding = true;
    EXPECT_EQ(wrong(config), "model.input_feeding: needs one of the luong attentions, not '" +
                                 std::string(name) + "'");
  }
  ModelConfig config = rnn("luong_general");
  config.window = Window::local_m;
  config.input_feeding = true;
  EXPECT_EQ(wrong(config), kFine);
}

TEST(ModelConfig, LocationWeightsAreGlobal) {
  ModelConfig config = rnn("luong_location");
  EXPECT_EQ(wrong(config), kFine);
  config.window = Window::local_m;
  EXPECT_EQ(
      wrong(config),
      "model.window: luong_location has weights of its own for every position; set window: global");
}

TEST(ModelConfig, MaxoutBelongsToBahdanau) {
  ModelConfig config = rnn("bahdanau");
  config.readout = Readout::maxout;
  EXPECT_EQ(wrong(config), kFine);
  config.attention = "luong_dot";
  EXPECT_EQ(wrong(config), "model.readout: maxout belongs to attention: bahdanau, not 'luong_dot'");
}

TEST(ModelConfig, KeysOfTheOtherTypeDoNotMatter) {
  ModelConfig config;
  config.input_feeding = true;
  config.hidden_size = 511;
  EXPECT_EQ(wrong(config), kFine);
}

TEST(ModelConfig, OfEveryKeyIsKnownWhoseWeightsItDescribes) {
  ModelConfig config;
  std::set<std::string_view> keys;
  const config::SectionView section = config::view(config);
  for (const config::FieldView& field : section.fields) {
    keys.insert(field.key);
    EXPECT_TRUE(keys_by_network().contains(field.key)) << field.key;
  }
  for (const auto& [key, of] : keys_by_network()) EXPECT_TRUE(keys.contains(key)) << key;
}

TEST(ModelConfig, ANetworkIsDescribedByTheKeysOfItsType) {
  const ModelConfig transformer;
  for (const char* key : {"type", "width", "tie"}) EXPECT_TRUE(is_of_network(key, transformer));
  for (const char* key : {"hidden_size", "dropout", "sliding_window", "max_positions"})
    EXPECT_FALSE(is_of_network(key, transformer)) << key;
  ModelConfig recurrent = rnn("luong_location");
  for (const char* key : {"type", "hidden_size", "tie", "max_positions"})
    EXPECT_TRUE(is_of_network(key, recurrent)) << key;
  for (const char* key : {"width", "dropout", "window_size", "coverage_size"})
    EXPECT_FALSE(is_of_network(key, recurrent)) << key;
  recurrent.coverage = Coverage::neural;
  EXPECT_TRUE(is_of_network("coverage_size", recurrent));
  EXPECT_FALSE(is_of_network("coverage_size", transformer));
}

TEST(ModelConfig, WhatAPositionMaySeeChangesTheResultOfItsType) {
  const ModelConfig transformer;
  for (const char* key : {"width", "positions", "sliding_window", "attention_stride"})
    EXPECT_TRUE(changes_result(key, transformer)) << key;
  for (const char* key : {"hidden_size", "window_size", "dropout", "attention_dropout"})
    EXPECT_FALSE(changes_result(key, transformer)) << key;
  ModelConfig recurrent = rnn("luong_general");
  EXPECT_FALSE(changes_result("window_size", recurrent));
  recurrent.window = Window::local_m;
  for (const char* key : {"hidden_size", "window_size"})
    EXPECT_TRUE(changes_result(key, recurrent)) << key;
  for (const char* key : {"width", "sliding_window", "word_dropout"})
    EXPECT_FALSE(changes_result(key, recurrent)) << key;
}

TEST(ModelConfig, TyingAllNeedsOneVocabulary) {
  ModelConfig config;
  config.tie = Tie::all;
  EXPECT_EQ(wrong(config, true), kFine);
  EXPECT_EQ(wrong(config, false),
            "model.tie: all needs one vocabulary for both sides; set data.vocabulary.kind: joint, "
            "or tie: decoder");
  config.tie = Tie::decoder;
  EXPECT_EQ(wrong(config, false), kFine);
}

}  // namespace
}  // namespace heed::model
