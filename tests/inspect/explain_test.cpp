// Gradients and erasure say what a translation depends on, for every kind of model.
#include "inspect/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "decode/random_models.h"
#include "decode/toy_model.h"
#include "model/model.h"
#include "text/vocabulary.h"

namespace heed::inspect {
namespace {

using config::AttentionKind;

const std::vector<std::string> kSources{"mira tolo sena", "", "kupo"};
const std::vector<std::string> kTargets{"rel vadi", "kupo", "vadi vadi kupo rel"};

double sum_of_row(const Explanation& one, std::size_t row) {
  const std::size_t columns = one.matrix.source.size();
  const auto begin = one.matrix.weights.begin() + static_cast<std::ptrdiff_t>(row * columns);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(columns), 0.0);
}

TEST(Explain, EveryEvidenceHasANumberForEachPairOfPieces) {
  for (const auto& config : decode::many_models()) {
    auto translator = decode::make_translator(decode::random_model(config));
    const auto scores = translator.score(kSources, kTargets);
    for (const AttentionKind evidence :
         {AttentionKind::saliency, AttentionKind::integrated, AttentionKind::erasure}) {
      const auto all = explain(translator, kSources, kTargets, {.evidence = evidence, .steps = 2});
      ASSERT_EQ(all.size(), 3U);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Explanation& one = all[i];
        EXPECT_EQ(one.target_text, kTargets[i]);
        ASSERT_EQ(one.matrix.weights.size(), one.matrix.source.size() * one.matrix.target.size());
        ASSERT_EQ(one.explained.size(), one.matrix.target.size());
        for (const float value : one.matrix.weights) EXPECT_TRUE(std::isfinite(value));
        for (std::size_t t = 0; t < one.explained.size(); ++t)
          EXPECT_NEAR(one.explained[t], scores[i].tokens[t], 2e-4);
      }
    }
  }
}

TEST(Explain, IntegratedGradientsAddUpToTheDifferenceTheyExplain) {
  for (const auto& config : decode::small_models()) {
    auto translator = decode::make_translator(decode::random_model(config));
    const auto all = explain(translator, kSources, kTargets,
                             {.evidence = AttentionKind::integrated, .steps = 256});
    for (const Explanation& one : all)
      for (std::size_t t = 0; t < one.matrix.target.size(); ++t)
        EXPECT_NEAR(sum_of_row(one, t), one.explained[t] - one.unexplained[t],
                    0.01 + 0.01 * std::abs(one.explained[t] - one.unexplained[t]));
  }
}

/// Models whose log p is continuous, but with kinks (sparsemax), with most of its change close to
/// zero vectors (relative: nothing is added to the vectors, and layer norm makes small ones large)
/// or with a window that is predicted (here wider than the sentence, so that no word enters it).
std::vector<model::ModelConfig> models_that_take_more_steps() {
  const std::vector<model::ModelConfig> small = decode::small_models();
  model::ModelConfig kinked = small[0];
  kinked.attention_normaliser = "sparsemax";
  model::ModelConfig steep = small[0];
  steep.positions = "relative";
  steep.attention_normaliser = "entmax15";
  model::ModelConfig recurrent = small[3];
  recurrent.attention_heads = 2;
  recurrent.attention_normaliser = "sparsemax";
  model::ModelConfig local = small[3];
  local.window = model::Window::local_p;
  local.window_size = 40;
  return {kinked, steep, recurrent, local};
}

/// A model with weights as training begins with them, and biases as it leaves them: where all are
/// 0, layer norms one after the other make a near jump of the first step away from zero vectors.
model::ModelPtr model_with_biases(const model::ModelConfig& config) {
  at::manual_seed(7);
  auto model =
      model::make_model(config, {decode::vocabulary().size(), decode::vocabulary().size()});
  const at::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters())
    if (parameter.dim() == 1) parameter.add_(at::randn_like(parameter), 0.3);
  return model;
}

/// Means over the rows: how far each is from the difference that it explains, and this difference.
struct Gap {
  double error = 0, difference = 0;
};

Gap gap_after(decode::Translator& translator, int64_t steps) {
  const Explanation one = explain(translator, {kSources[0]}, std::vector{kTargets[0]},
                                  {.evidence = AttentionKind::integrated, .steps = steps})[0];
  Gap gap;
  const auto rows = static_cast<double>(one.matrix.target.size());
  for (std::size_t t = 0; t < one.matrix.target.size(); ++t) {
    const double difference = one.explained[t] - one.unexplained[t];
    gap.error += std::abs(sum_of_row(one, t) - difference) / rows;
    gap.difference += std::abs(difference) / rows;
  }
  return gap;
}

TEST(Explain, IntegratedGradientsComeCloserWithMoreStepsWhereLogProbabilitiesBend) {
  for (const auto& config : models_that_take_more_steps()) {
    SCOPED_TRACE(config::name_of(config.type) + " " + config.attention_normaliser + " " +
                 config::name_of(config.window));
    auto translator = decode::make_translator(model_with_biases(config));
    const Gap coarse = gap_after(translator, 16), fine = gap_after(translator, 128);
    EXPECT_GT(fine.difference, 0.01);
    EXPECT_LT(fine.error, std::max(coarse.error / 2, 0.01 * fine.difference));
    EXPECT_LT(fine.error, 0.005 + 0.05 * fine.difference);
  }
}

/// Transformers whose log p changes most close to zero vectors: no positions are added to them.
class ExplainWithoutAddedPositions : public testing::TestWithParam<std::string> {};

TEST_P(ExplainWithoutAddedPositions, IntegratedGradientsAddUpAtTheDefaultSteps) {
  model::ModelConfig config = decode::small_models()[0];
  config.positions = GetParam();
  auto translator = decode::make_translator(decode::random_model(config));
  for (const Explanation& one : explain(translator, {kSources[0]}, std::vector{kTargets[0]},
                                        {.evidence = AttentionKind::integrated})) {
    EXPECT_TRUE(one.matrix.missing.empty());
    for (std::size_t t = 0; t < one.matrix.target.size(); ++t) {
      const double difference = one.explained[t] - one.unexplained[t];
      EXPECT_NEAR(sum_of_row(one, t), difference,
                  1e-4 + kMayMiss + kMayMissShare * std::abs(difference));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Positions, ExplainWithoutAddedPositions,
                         testing::Values("rotary", "alibi", "relative", "t5", "none"),
                         [](const auto& info) { return info.param; });

TEST(Explain, WhatIntegratedGradientsMissIsSaid) {
  model::ModelConfig config = decode::small_models()[3];
  config.window = model::Window::local_p;
  config.window_size = 1;
  auto translator = decode::make_translator(decode::random_model(config));
  const std::vector<std::string> source{"mira tolo sena kupo vadi rel nostra bahir"};
  const Explanation one = explain(translator, source, std::vector<std::string>{"vadi kupo"},
                                  {.evidence = AttentionKind::integrated, .steps = 8})[0];
  ASSERT_EQ(one.matrix.missing.size(),
            one.matrix.target.size());  // a word entered the window on the way
  double largest = 0;
  for (std::size_t t = 0; t < one.matrix.missing.size(); ++t) {
    EXPECT_NEAR(sum_of_row(one, t) + one.matrix.missing[t], one.explained[t] - one.unexplained[t],
                1e-4);
    largest = std::max(largest, std::abs(static_cast<double>(one.matrix.missing[t])));
  }
  EXPECT_GT(largest, kMayMiss);
}

TEST(Explain, ErasureIsTheDifferenceOfTwoScores) {
  for (const auto& config : decode::many_models()) {
    auto translator = decode::make_translator(decode::random_model(config));
    const auto one = explain(translator, {"kupo"}, std::vector<std::string>{"rel vadi"},
                             {.evidence = AttentionKind::erasure})[0];
    const auto with = translator.score({"kupo"}, {"rel vadi"})[0];
    const std::size_t columns = one.matrix.source.size();
    for (std::size_t t = 0; t < one.matrix.target.size(); ++t)
      EXPECT_EQ(one.matrix.weights[t * columns + columns - 1], 0);  // </s>
    if (columns != 2) continue;  // one piece: without it nothing is left
    const auto without = translator.score({""}, {"rel vadi"})[0];
    for (std::size_t t = 0; t < one.matrix.target.size(); ++t)
      EXPECT_NEAR(one.matrix.weights[t * columns], with.tokens[t] - without.tokens[t], 2e-4);
  }
}

/// The number of the word that a piece is part of.
std::vector<std::size_t> words(const std::vector<std::string>& pieces) {
  std::vector<std::size_t> word_of;
  for (const std::string& piece : pieces)
    word_of.push_back(word_of.empty() ? 0
                                      : word_of.back() + (piece.starts_with(text::kWordStart) ||
                                                          piece == "</s>"));
  return word_of;
}

// The first of the three words is cut into pieces: they are left out together.
TEST(Explain, ErasureOfAWordLeavesAllOfItsPiecesOut) {
  const std::string first = "xenoqua", rest = " tolo mira", target = "rel vadi";
  for (const auto& config : decode::many_models()) {
    auto translator = decode::make_translator(decode::random_model(config));
    const auto one = explain(translator, {first + rest}, std::vector{target},
                             {.evidence = AttentionKind::erasure, .groups = words})[0];
    const auto with = translator.score({first + rest}, {target})[0];
    const auto word_of = words(one.matrix.source);
    const auto pieces = static_cast<std::size_t>(std::ranges::count(word_of, 0U));
    ASSERT_GE(pieces, 2U);
    const std::size_t columns = one.matrix.source.size();
    // Each word's loss stands under its own first piece.
    const std::vector<std::string> left = {rest.substr(1), first + " mira", first + " tolo"};
    for (std::size_t word = 0; word < left.size(); ++word) {
      const auto without = translator.score({left[word]}, {target})[0];
      const auto column =
          static_cast<std::size_t>(std::ranges::find(word_of, word) - word_of.begin());
      for (std::size_t t = 0; t < one.matrix.target.size(); ++t)
        EXPECT_NEAR(one.matrix.weights[t * columns + column], with.tokens[t] - without.tokens[t],
                    2e-4);
    }
    for (std::size_t t = 0; t < one.matrix.target.size(); ++t) {
      for (std::size_t i = 1; i < pieces; ++i) EXPECT_EQ(one.matrix.weights[t * columns + i], 0);
      EXPECT_EQ(one.matrix.weights[t * columns + columns - 1], 0);  // </s>
    }
  }
}

TEST(Explain, OfItsOwnTranslationsLeavesBlankLinesOut) {
  auto translator = decode::make_translator(decode::random_model(decode::small_models()[0]));
  const auto all = explain(translator, kSources, std::nullopt, {});
  EXPECT_TRUE(all[1].matrix.weights.empty());
  EXPECT_FALSE(all[0].matrix.weights.empty());
  EXPECT_THROW(explain(translator, kSources, std::vector<std::string>{"rel"}, {}), UserError);
}

}  // namespace
}  // namespace heed::inspect
