// A configuration's traits say what its model does.
#include "model/description/traits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/kinds.h"
#include "model/model.h"

namespace heed::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::padded;
using testing::source_of;
using testing::three_sources;
using testing::three_targets;

TEST(Traits, AreThoseOfTheModel) {
  for (const auto& [name, config] : testing::every_kind()) {
    SCOPED_TRACE(name);
    const Traits of = traits(config);
    const ModelPtr model = testing::model_of(config, 13);
    EXPECT_EQ(of.attends(), model->attends());
    EXPECT_EQ(of.longest, model->longest());
    Trace trace{.kinds = {config::kAttentionKinds.begin(), config::kAttentionKinds.end()}};
    model->features(source_of(three_sources()), padded(three_targets()), &trace);
    std::map<AttentionKind, std::vector<int64_t>> heads;
    for (const AttentionMap& map : trace.maps) heads[map.kind].push_back(map.weights.size(1));
    EXPECT_EQ(heads, of.heads_left);
    std::vector<AttentionKind> kinds;
    for (const auto& [kind, layers] : heads) kinds.push_back(kind);
    EXPECT_EQ(kinds, of.kinds);
  }
}

TEST(Traits, OfATransformerByHand) {
  ModelConfig config = testing::small_transformer();
  config.decoder_layers = 2;
  config.pruned_heads = {"cross.1.0", "cross.1.3"};
  const Traits of = traits(config);
  EXPECT_EQ(of.name, "transformer");
  EXPECT_EQ(of.network, "transformer");
  EXPECT_EQ(of.width, 16);
  EXPECT_EQ(of.width_key, "width");
  EXPECT_EQ(of.layers(AttentionKind::encoder), 1);
  EXPECT_EQ(of.heads(AttentionKind::cross, 0), 4);
  EXPECT_EQ(of.heads(AttentionKind::cross, 1), 2);
  EXPECT_EQ(of.heads(AttentionKind::cross, 2), 0);
  EXPECT_EQ(of.whole_heads, 4);
  EXPECT_FALSE(of.has_dropout);
  config.activation_dropout = 0.1;
  EXPECT_TRUE(traits(config).has_dropout);
}

TEST(Traits, OfARecurrentModelByHand) {
  ModelConfig config;
  config.type = ModelType::rnn;
  config.attention = "luong_dot";
  config.hidden_size = 24;
  config.attention_heads = 3;
  config.dropout = 0;
  config.activation_dropout = 0.1;  // is a Transformer's
  const Traits of = traits(config);
  EXPECT_EQ(of.name, "luong_dot");
  EXPECT_EQ(of.network, "rnn, attention luong_dot");
  EXPECT_EQ(of.width, 24);
  EXPECT_EQ(of.width_key, "hidden_size");
  EXPECT_EQ(of.heads(AttentionKind::cross, 0), 3);
  EXPECT_FALSE(of.has_dropout);
  config.attention_dropout = 0.1;
  EXPECT_TRUE(traits(config).has_dropout);
  config.attention = "none";
  EXPECT_FALSE(traits(config).has_dropout);
}

TEST(Traits, SayWhichWeightsAreASoftmax) {
  ModelConfig config = testing::small_transformer();
  config.self_attention = "linear";
  EXPECT_THAT(traits(config).softmax_kinds, ElementsAre(AttentionKind::cross));
  config.self_attention = "sparse";
  config.attention_normaliser = "sparsemax";
  EXPECT_THAT(traits(config).softmax_kinds,
              ElementsAre(AttentionKind::encoder, AttentionKind::decoder));
  ModelConfig recurrent;
  recurrent.type = ModelType::rnn;
  recurrent.attention = "luong_dot";
  EXPECT_THAT(traits(recurrent).softmax_kinds, ElementsAre(AttentionKind::cross));
  recurrent.window = Window::local_p;
  EXPECT_THAT(traits(recurrent).softmax_kinds, IsEmpty());
}

}  // namespace
}  // namespace heed::model
