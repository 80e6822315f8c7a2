// A smaller model says what the whole one says with heads silenced.
#include "model/transformer/heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/schema.h"
#include "message.h"
#include "model/kinds.h"
#include "model/model.h"

namespace heed::model {
namespace {

using testing::distance;
using testing::padded;
using testing::source_of;
using testing::three_sources;
using testing::three_targets;

constexpr int64_t kPieces = 13;

std::vector<testing::NamedConfig> prunable_kinds() {
  auto kinds = testing::transformer_kinds();
  std::erase_if(kinds, [](const auto& kind) {
    return kind.config.kv_heads > 0 || kind.config.decoder != DecoderKind::attention;
  });
  return kinds;
}

ModelPtr network_of(const ModelConfig& config) {
  at::manual_seed(4);
  ModelPtr model = make_model(config, {kPieces, kPieces});
  model->eval();
  return model;
}

Tensor logits_of(Model& model) {
  const at::NoGradGuard guard;
  return model.logits(model.features(source_of(three_sources()), padded(three_targets())));
}

/// The heads that are left out: in the first layer one of each kind, and one more of the encoder.
const std::vector<HeadIndex> kGone = {{AttentionKind::encoder, 0, 1},
                                      {AttentionKind::encoder, 0, 3},
                                      {AttentionKind::decoder, 0, 0},
                                      {AttentionKind::cross, 0, 2}};

TEST(Heads, APrunedModelIsTheSilencedOne) {
  ASSERT_GE(prunable_kinds().size(), 5U);
  for (const auto& [name, config] : prunable_kinds()) {
    SCOPED_TRACE(name);
    const ModelPtr whole = network_of(config);
    const Tensor before = logits_of(*whole);
    ModelConfig fewer = config;
    for (const HeadIndex& head : kGone) fewer.pruned_heads.push_back(name_of(head));
    check(fewer, /*joint_vocabulary=*/true);
    const ModelPtr smaller = network_of(fewer);
    copy_without_heads(*whole, config, *smaller, fewer);
    Tensor silent;
    {
      const Replaced without = silenced(*whole, config, kGone);
      silent = logits_of(*whole);
    }
    EXPECT_LT(distance(logits_of(*smaller), silent), 1e-4);
    EXPECT_GT(distance(before, silent), 1e-3);
    EXPECT_EQ(distance(logits_of(*whole), before), 0);
    EXPECT_LT(count_parameters(*smaller), count_parameters(*whole));
    EXPECT_EQ(heads_of(fewer).size(), heads_of(config).size() - kGone.size());

    // Once more, from the pruned one.
    ModelConfig fewest = fewer;
    fewest.pruned_heads.push_back("cross.0.0");
    const ModelPtr smallest = network_of(fewest);
    copy_without_heads(*smaller, fewer, *smallest, fewest);
    const Replaced without = silenced(*smaller, fewer, {{AttentionKind::cross, 0, 0}});
    EXPECT_LT(distance(logits_of(*smallest), logits_of(*smaller)), 1e-4);
  }
}

TEST(Heads, ADecoderWithoutSelfAttentionHasThoseOfTheOthers) {
  for (auto [name, config] : testing::recurrence_kinds()) {
    SCOPED_TRACE(name);
    const std::vector<HeadIndex> heads = heads_of(config);
    EXPECT_TRUE(std::ranges::none_of(
        heads, [](const HeadIndex& head) { return head.kind == AttentionKind::decoder; }));
    EXPECT_EQ(heads.size(), 4U + 4U * config.decoder_layers);
    const ModelPtr whole = network_of(config);
    ModelConfig fewer = config;
    fewer.pruned_heads = {"encoder.0.1", "cross.0.2"};
    check(fewer, /*joint_vocabulary=*/true);
    const ModelPtr smaller = network_of(fewer);
    copy_without_heads(*whole, config, *smaller, fewer);
    const Replaced without =
        silenced(*whole, config, {{AttentionKind::encoder, 0, 1}, {AttentionKind::cross, 0, 2}});
    EXPECT_LT(distance(logits_of(*smaller), logits_of(*whole)), 1e-4);
    config.pruned_heads = {"decoder.0.1"};
    EXPECT_THAT(message_of<config::ConfigError>([&] { check(config, true); }),
                ::testing::HasSubstr("is not there"));
  }
}

TEST(Heads, GuidedWeightsAreThoseOfTheSameHeadWhereOthersArePruned) {
  const auto logs_of = [](Model& model) {
    Trace trace{.kinds = {}, .guided = Guided{.layer = 0, .head = 2}};
    model.features(source_of(three_sources()), padded(three_targets()), &trace);
    return trace.guided->logs.detach();
  };
  for (const auto& [name, config] : prunable_kinds()) {
    if (!testing::can_be_guided(config)) continue;
    SCOPED_TRACE(name);
    const ModelPtr whole = network_of(config);
    ModelConfig fewer = config;
    fewer.pruned_heads = {"cross.0.0"};
    const ModelPtr smaller = network_of(fewer);
    copy_without_heads(*whole, config, *smaller, fewer);
    EXPECT_LT(distance(logs_of(*smaller).exp(), logs_of(*whole).exp()), 1e-5);
  }
}

TEST(Heads, AreCountedByKindLayerAndHead) {
  ModelConfig config;
  config.heads = 2;
  config.encoder_layers = 1;
  config.decoder_layers = 2;
  std::vector<std::string> names;
  for (const HeadIndex& head : heads_of(config)) names.push_back(name_of(head));
  EXPECT_THAT(names, ::testing::ElementsAre("encoder.0.0", "encoder.0.1", "decoder.0.0",
                                            "decoder.0.1", "decoder.1.0", "decoder.1.1",
                                            "cross.0.0", "cross.0.1", "cross.1.0", "cross.1.1"));
}

TEST(Heads, WrongNamesAreRefused) {
  ModelConfig config;
  config.heads = 2;
  config.width = 8;
  const auto refusal = [&](const std::vector<std::string>& names) {
    config.pruned_heads = names;
    return message_of<config::ConfigError>([&] { check(config, true); });
  };
  EXPECT_THAT(refusal({"encoder.0"}), ::testing::HasSubstr("not like encoder.0.2"));
  EXPECT_THAT(refusal({"middle.0.1"}), ::testing::HasSubstr("not like encoder.0.2"));
  EXPECT_THAT(refusal({"cross.9.1"}), ::testing::HasSubstr("is not there"));
  EXPECT_THAT(refusal({"cross.0.1", "cross.0.1"}), ::testing::HasSubstr("twice"));
  EXPECT_THAT(refusal({"cross.0.1", "cross.0.0"}),
              ::testing::HasSubstr("no head of cross attention is left in layer 0"));
  config.kv_heads = 1;
  EXPECT_THAT(refusal({"cross.0.1"}), ::testing::HasSubstr("share keys"));
}

}  // namespace
}  // namespace heed::model
