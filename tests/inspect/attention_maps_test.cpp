#include "inspect/attention_maps.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "decode/random_models.h"
#include "decode/toy_model.h"
#include "message.h"

namespace heed::inspect {
namespace {

TEST(ForcedAttention, RowsSumToOneAndCarryThePieces) {
  auto translator = decode::make_translator(decode::random_model(decode::small_models()[0]));
  const AttentionRequest request{
      .kinds = {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}};
  const std::vector<std::string> sources{"mira tolo sena", "kupo"},
      targets{"rel", "vadi vadi kupo"};
  const auto sentences = attention_maps(translator, sources, targets, request);
  ASSERT_EQ(sentences.size(), 2U);
  for (const auto& one : sentences) {
    ASSERT_EQ(one.matrices.size(), 3 * 2 * 3U);  // kinds, layers, heads
    for (const auto& matrix : one.matrices) {
      const bool encoder = matrix.kind == AttentionKind::encoder;
      EXPECT_EQ(matrix.sentence, &one - sentences.data() + 1);
      EXPECT_EQ(matrix.target, encoder ? one.source_pieces : one.target_pieces);
      ASSERT_EQ(matrix.weights.size(), matrix.target.size() * matrix.source.size());
      for (std::size_t r = 0; r < matrix.target.size(); ++r) {
        double sum = 0;
        for (std::size_t c = 0; c < matrix.source.size(); ++c) {
          const float weight = matrix.at(r, c);
          sum += weight;
          if (matrix.kind == AttentionKind::decoder && c > r) {
            EXPECT_EQ(weight, 0);
          }
        }
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
  EXPECT_EQ(sentences[0].matrices[6].source[0], "<s>");
}

TEST(ForcedAttention, OfItsOwnTranslationIsWhatTheSearchSaw) {
  // The search of a Transformer without an engine asks for a map of every layer.
  const model::ModelPtr transformer = decode::random_model(decode::small_models()[0]);
  std::vector<model::ModelPtr> models{decode::without_engine(transformer)};
  for (const std::size_t kind : {0U, 1U, 3U, 4U})
    models.push_back(decode::random_model(decode::many_models()[kind]));
  for (const model::ModelPtr& model : models) {
    auto translator = decode::make_translator(model);
    const std::vector<std::string> sources{"mira tolo sena rel", "", "kupo vadi"};
    const auto translations =
        translator.translate({.lines = sources, .keep_attention = true}).translations;
    const auto sentences =
        attention_maps(translator, sources, std::nullopt, {.layers = {-1}, .heads = {-1}});
    EXPECT_TRUE(sentences[1].matrices.empty());
    for (const std::size_t i : {0U, 2U}) {
      ASSERT_EQ(sentences[i].matrices.size(), 1U);
      const auto& matrix = sentences[i].matrices[0];
      EXPECT_EQ(matrix.head, -1);
      EXPECT_EQ(sentences[i].target_text, translations[i].text);
      const auto& rows = translations[i].hypotheses.at(0).attention;
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < matrix.source.size(); ++c)
          EXPECT_NEAR(matrix.at(r, c), rows[r][c], 1e-4);
    }
  }
}

TEST(ForcedAttention, OfFoundPiecesIsThatOfTheModelsOwnTranslation) {
  auto translator = decode::make_translator(decode::random_model(decode::small_models()[0]));
  const std::vector<std::string> sources{"mira tolo sena rel", "kupo vadi"};
  const auto own = attention_maps(translator, sources, std::nullopt, {});
  std::vector<std::vector<int32_t>> found;
  for (const auto& one : translator.translate({.lines = sources}).translations)
    found.push_back(one.hypotheses[0].ids);
  const auto given = attention_maps(translator, {sources[1], sources[0], sources[1]},
                                    {found[1], found[0], {}}, {});
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{1, 0}}) {
    EXPECT_EQ(given[a].target_pieces, own[b].target_pieces);
    ASSERT_EQ(given[a].matrices.size(), own[b].matrices.size());
    for (std::size_t m = 0; m < own[b].matrices.size(); ++m)
      for (std::size_t i = 0; i < own[b].matrices[m].weights.size(); ++i)
        EXPECT_NEAR(given[a].matrices[m].weights[i], own[b].matrices[m].weights[i], 1e-5);
  }
  EXPECT_EQ(given[2].target_pieces, std::vector<std::string>({"</s>"}));
}

TEST(ForcedAttention, ChoosesLayersAndHeadsOnceAndInOrder) {
  auto translator = decode::make_translator(decode::random_model(decode::small_models()[0]));
  const auto chosen = [&](std::vector<int64_t> layers, std::vector<int64_t> heads) {
    std::vector<std::pair<int64_t, int64_t>> out;
    const AttentionRequest request{.layers = std::move(layers), .heads = std::move(heads)};
    const auto sentences =
        attention_maps(translator, {"mira"}, std::vector<std::string>{"tolo"}, request);
    for (const auto& matrix : sentences.at(0).matrices) out.emplace_back(matrix.layer, matrix.head);
    return out;
  };
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(chosen({1, kLastLayer}, {kMeanOfHeads, 0, 0}), (Pairs{{1, -1}, {1, 0}}));
  EXPECT_EQ(chosen({0}, {1, kEvery, kMeanOfHeads}), (Pairs{{0, 1}, {0, 0}, {0, 2}, {0, -1}}));
  EXPECT_EQ(chosen({}, {1}), (Pairs{{0, 1}, {1, 1}}));
}

TEST(ForcedAttention, WhatTheModelLacksIsRefused) {
  auto blind = decode::make_translator(decode::random_model(decode::small_models()[2]));
  EXPECT_THROW(attention_maps(blind, {"mira"}, std::nullopt, {}), UserError);
  auto rnn = decode::make_translator(decode::random_model(decode::small_models()[1]));
  EXPECT_THROW(attention_maps(rnn, {"mira"}, std::nullopt, {.layers = {1}}), UserError);
  EXPECT_THROW(attention_maps(rnn, {"mira"}, std::nullopt, {.heads = {1}}), UserError);
  EXPECT_THROW(attention_maps(rnn, {"mira"}, std::nullopt,
                              {.kinds = {AttentionKind::encoder, AttentionKind::cross}}),
               UserError);
  const std::vector<std::string> targets{"tolo", "rel"};
  EXPECT_THROW(attention_maps(rnn, {"mira"}, targets, {}), UserError);
}

TEST(ForcedAttention, ALineTooLongIsNamedByItsPlaceInTheFile) {
  auto model = std::make_shared<decode::toy::ToyModel>(/*longest=*/6);
  decode::Translator translator({{model, decode::vocabulary(), decode::vocabulary()}}, {}, at::kCPU,
                                at::kFloat);
  const std::vector<std::string> lines{"mira", "mira tolo sena kupo vadi rel nostra mira tolo"};
  try {
    attention_maps(translator, lines, lines, {}, /*first_line=*/65);
    FAIL() << "not refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("line 66 has"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed::inspect
