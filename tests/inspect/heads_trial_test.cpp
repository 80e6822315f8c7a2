// The loss of quality of a model without some of its heads, measured in its own process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "decode/random_models.h"
#include "inspect/heads.h"
#include "message.h"

namespace heed::inspect {
namespace {

const text::Pairs kTrialPairs{{"mira tolo sena", "kupo"}, {"rel vadi", "vadi vadi kupo rel"}};

TriedModel tried(std::size_t which) {
  const model::ModelConfig config = decode::small_models()[which];
  const model::ModelPtr model = decode::random_model(config);
  return {.name = "m",
          .member = {model, decode::vocabulary(), decode::vocabulary()},
          .config = config,
          .evaluation = {},
          .translator = [model] { return decode::make_translator(model); }};
}

TEST(HeadTrial, WithAllHeadsIsTheModelItself) {
  const TriedModel of = tried(0);
  HeadTrial trial(of, kTrialPairs);
  EXPECT_EQ(trial.heads().size(), 3U * 2 * 3);  // kinds, layers, heads
  const auto scores = of.translator().score(kTrialPairs.source, kTrialPairs.target);
  const auto losses = trial.losses({});
  double sum = 0, pieces = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(losses[i], -scores[i].log_probability);
    sum += losses[i];
    pieces += static_cast<double>(scores[i].tokens.size());
  }
  EXPECT_EQ(trial.pieces(), pieces);
  EXPECT_DOUBLE_EQ(trial.loss({}), sum / pieces);
}

TEST(HeadTrial, SilencesForOneMeasurementAlone) {
  HeadTrial trial(tried(0), kTrialPairs);
  const double before = trial.loss({});
  EXPECT_NE(trial.loss({trial.heads().front()}), before);
  EXPECT_NE(trial.loss({trial.heads().back()}), before);
  EXPECT_EQ(trial.loss({}), before);
}

TEST(HeadTrial, AblationHasALineForEachHeadAndLayer) {
  HeadTrial trial(tried(0), kTrialPairs);
  const AblatedHeads rows = ablated_heads(trial, /*translate=*/false);
  for (const char* name : {"encoder.0.0", "cross.1.2", "decoder.1, all"})
    EXPECT_THAT(rows.csv, ::testing::HasSubstr(name));
  EXPECT_EQ(std::ranges::count(rows.csv, '\n'), 1 + 18 + 6);
}

TEST(HeadTrial, IsOfATransformerAlone) {
  EXPECT_EQ(message_of<UserError>([] { HeadTrial(tried(1), kTrialPairs); }),
            "m: is no Transformer, and only a Transformer's heads can be silenced");
}

}  // namespace
}  // namespace heed::inspect
