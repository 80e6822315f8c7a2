// Engines that read given translations, against LibTorch's models that do.
#include "decode/search/reading.h"

#include <gtest/gtest.h>

#include "decode/random_models.h"
#include "decode/search/engine_translator.h"
#include "model/description/traits.h"
#include "model/model.h"

namespace heed::decode {
namespace {

using Lines = std::vector<std::string>;

using engine::kOneThread;

EngineTranslator engine_of(const model::ModelPtr& model) {
  return {{{.text = {vocabulary(), vocabulary()},
            .network = network_of(*model, engine::WeightFormat::fp32),
            .longest = model->longest(),
            .attends = model->attends()}},
          {},
          engine::WeightFormat::fp32,
          kOneThread};
}

TEST(Reading, EnginesAttendAsModelsDoInEveryLayerAndHead) {
  const Lines sources{"mira tolo sena kupo vadi", "", "rel", "\u00df dyphe mira"},
      targets{"vadi", "tolo", "nostra bahir glume quorz", ""};
  std::size_t compared = 0;
  for (const std::size_t which : {0, 1, 3, 4, 6, 7, 8}) {
    const model::ModelConfig config = many_models()[which];
    const model::ModelPtr model = random_model(config);
    ASSERT_TRUE(engine::has_network(config)) << which;
    EngineTranslator engine = engine_of(model);
    Translator translator = make_translator(model);
    const AttentionRequest request{.kinds = model::traits(config).kinds,
                                   .heads = {kEvery, kMeanOfHeads}};
    const auto ours = attention_maps(engine, sources, targets, request, 7),
               theirs = attention_maps(translator, sources, targets, request, 7);
    ASSERT_EQ(ours.size(), 4U);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(ours[i].matrices.size(), theirs[i].matrices.size());
      EXPECT_EQ(ours[i].target_pieces, theirs[i].target_pieces);
      for (std::size_t m = 0; m < ours[i].matrices.size(); ++m) {
        const auto &one = ours[i].matrices[m], &other = theirs[i].matrices[m];
        EXPECT_EQ(one.kind, other.kind);
        EXPECT_EQ(one.layer, other.layer);
        EXPECT_EQ(one.head, other.head);
        EXPECT_EQ(one.sentence, 7 + static_cast<int64_t>(i));
        EXPECT_EQ(one.target, other.target);
        EXPECT_EQ(one.source, other.source);
        ASSERT_EQ(one.weights.size(), one.target.size() * one.source.size());
        ASSERT_EQ(one.weights.size(), other.weights.size());
        for (std::size_t w = 0; w < one.weights.size(); ++w, ++compared)
          ASSERT_NEAR(one.weights[w], other.weights[w], 2e-5) << which << " " << m;
      }
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(Reading, EnginesAndModelsRefuseTheSame) {
  const model::ModelPtr blind = random_model(many_models()[2]),
                        rnn = random_model(many_models()[1]);
  EngineTranslator none = engine_of(blind), one = engine_of(rnn);
  const Lines line{"mira"};
  EXPECT_THROW(attention_maps(none, line, line, {}), UserError);
  EXPECT_THROW(attention_maps(one, line, line, {.layers = {1}}), UserError);
  EXPECT_THROW(attention_maps(one, line, line, {.heads = {1}}), UserError);
  EXPECT_THROW(attention_maps(one, line, line, {.kinds = {AttentionKind::encoder}}), UserError);
}

}  // namespace
}  // namespace heed::decode
