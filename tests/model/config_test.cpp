#include "model/config.h"

#include <gtest/gtest.h>

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
