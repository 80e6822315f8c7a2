#include "decode/translator.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/error.h"
#include "decode/forced.h"
#include "decode/toy_model.h"
#include "message.h"

namespace heed::decode {
namespace {

/// A small vocabulary of invented words, trained once for all tests of this program.
const text::Vocabulary& vocabulary() {
  static const text::Vocabulary trained = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("heed_translator_test." + std::to_string(getpid()));
    std::ofstream file(path);
    const std::vector<std::string> words{"mira",  "tolo",   "sena",  "kupo",  "vadi",
                                         "rel",   "nostra", "bahir", "glume", "wexta",
                                         "fonji", "quorz",  "dyphe"};
    for (int i = 0; i < 300; ++i) {
      for (int j = 0; j <= i % 9; ++j) file << words[(i * 3 + j * j * 5 + j) % words.size()] << ' ';
      file << '\n';
    }
    file.close();
    auto out = text::Vocabulary::train({.files = {path.string()}, .size = 32});
    std::filesystem::remove(path);
    return out;
  }();
  return trained;
}

std::vector<model::ModelConfig> small_models() {
  model::ModelConfig transformer;
  transformer.type = model::ModelType::transformer;
  transformer.width = 24;
  transformer.feed_forward = 40;
  transformer.heads = 3;
  transformer.encoder_layers = transformer.decoder_layers = 2;
  model::ModelConfig rnn;
  rnn.type = model::ModelType::rnn;
  rnn.embedding_size = 12;
  rnn.hidden_size = 20;
  model::ModelConfig blind = rnn;
  blind.attention = "none";
  blind.cell = model::Cell::lstm;
  blind.layers = 2;
  model::ModelConfig luong = rnn;
  luong.attention = "luong_general";
  luong.input_feeding = true;
  return {transformer, rnn, blind, luong};
}

/// Random weights, scaled up so that no two pieces are nearly equal, and not so far that a
/// recurrent state turns chaotic and makes much of the last bit.
model::ModelPtr random_model(const model::ModelConfig& config, uint64_t seed = 5) {
  at::manual_seed(seed);
  auto model = model::make_model(config, {vocabulary().size(), vocabulary().size()});
  const at::NoGradGuard no_gradients;
  const double factor = config.type == model::ModelType::rnn ? 1.5 : 2.5;
  for (auto& parameter : model->parameters())
    if (parameter.dim() > 1) parameter.mul_(factor);
  return model;
}

Translator make_translator(const model::ModelPtr& model, DecodeConfig config = {}) {
  config.max_length_ratio = 0.5;
  return Translator({{model, vocabulary(), vocabulary()}}, config, at::kCPU, at::kFloat);
}

const std::vector<std::string> kLines{
    "mira tolo", "",      "sena kupo vadi rel nostra mira tolo sena",
    "kupo",      "  \t ", "rel nostra vadi mira kupo",
    "tolo tolo"};

class EveryModel : public testing::TestWithParam<std::size_t> {
 protected:
  model::ModelPtr model() const { return random_model(small_models()[GetParam()]); }
};

TEST_P(EveryModel, LinesComeBackInOrderAndTheSameWhateverTheBatch) {
  DecodeConfig config;
  config.beam_size = 3;
  config.n_best = 2;
  config.batch_size = 5;
  auto together = make_translator(model(), config);
  config.batch_size = 1;
  auto alone = make_translator(model(), config);
  const auto a = together.translate(kLines);
  const auto b = alone.translate(kLines);
  ASSERT_EQ(a.size(), kLines.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].text, b[i].text);
    ASSERT_EQ(a[i].hypotheses.size(), b[i].hypotheses.size());
    for (std::size_t n = 0; n < a[i].hypotheses.size(); ++n) {
      EXPECT_EQ(a[i].hypotheses[n].ids, b[i].hypotheses[n].ids);
      EXPECT_NEAR(a[i].hypotheses[n].score, b[i].hypotheses[n].score, 1e-4);
    }
    EXPECT_EQ(a[i].texts.size(), a[i].hypotheses.size());
  }
  for (const std::size_t blank : {1U, 4U}) {
    EXPECT_EQ(a[blank].text, "");
    EXPECT_TRUE(a[blank].hypotheses.empty());
  }
  EXPECT_EQ(a[3].source_pieces.back(), "</s>");
}

TEST_P(EveryModel, ASearchedLogProbabilityIsWhatTeacherForcingSays) {
  DecodeConfig config;
  config.beam_size = 4;
  config.n_best = 3;
  auto model = this->model();
  const model::Source source = toy::make_source({{4, 9, 17, 5, 8}, {30, 4}, {11, 12, 13}});
  SearchOptions options{.config = config, .keep_attention = true};
  options.config.max_length_ratio = 0.5;
  model->eval();
  const auto found = search({model.get()}, {source}, options);
  for (int64_t row = 0; row < 3; ++row) {
    const model::Source one{source.tokens[row].unsqueeze(0), source.lengths.slice(0, row, row + 1),
                            source.valid[row].unsqueeze(0)};
    for (const auto& hypothesis : found[row]) {
      std::vector<int32_t> prefix;
      for (std::size_t t = 0; t < hypothesis.token_log_probabilities.size(); ++t) {
        const int32_t token = t < hypothesis.ids.size() ? hypothesis.ids[t] : text::kEnd;
        EXPECT_NEAR(hypothesis.token_log_probabilities[t],
                    toy::next_log_probabilities(*model, one, prefix)[token], 1e-4);
        prefix.push_back(token);
      }
      EXPECT_EQ(hypothesis.attention.size(),
                model->attends() ? hypothesis.token_log_probabilities.size() : 0);
      for (const auto& attended : hypothesis.attention) {
        EXPECT_EQ(static_cast<int64_t>(attended.size()), source.lengths[row].item<int64_t>());
        EXPECT_NEAR(std::accumulate(attended.begin(), attended.end(), 0.0), 1, 1e-5);
      }
    }
  }
}

TEST_P(EveryModel, AScoreIsTheSumOfItsSteps) {
  auto model = this->model();
  auto translator = make_translator(model);
  const std::vector<std::string> targets{
      "vadi mira", "rel", "", "kupo sena tolo nostra", "mira", "tolo rel rel kupo vadi sena mira",
      ""};
  const auto scores = translator.score(kLines, targets);
  ASSERT_EQ(scores.size(), kLines.size());
  model->eval();
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    const auto source_ids = vocabulary().encode(kLines[i]);
    const auto source = toy::make_source({{source_ids.begin(), source_ids.end()}});
    auto target = vocabulary().encode(targets[i]);
    target.push_back(text::kEnd);
    ASSERT_EQ(scores[i].tokens.size(), target.size());
    double sum = 0;
    std::vector<int32_t> prefix;
    for (const int32_t token : target) {
      const double step = toy::next_log_probabilities(*model, source, prefix)[token];
      EXPECT_NEAR(scores[i].tokens[prefix.size()], step, 1e-4);
      sum += step;
      prefix.push_back(token);
    }
    EXPECT_NEAR(scores[i].log_probability, sum, 1e-3);
  }
}

std::string name_of(const testing::TestParamInfo<std::size_t>& info) {
  const std::vector<std::string> names{"transformer", "bahdanau", "none", "luong_general"};
  return names[info.param];
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::Values(0, 1, 2, 3), name_of);

TEST(Translator, AStreamGivesOneTranslationPerLineWhateverTheWindow) {
  auto translator = make_translator(random_model(small_models()[1]));
  const auto expected = translator.translate(kLines);
  for (const int64_t window : {1, 3, 7, 100}) {
    std::size_t next = 0;
    std::vector<std::string> texts;
    const int64_t count = translate_stream(
        translator,
        [&]() -> std::optional<std::string> {
          if (next == kLines.size()) return std::nullopt;
          return kLines[next++];
        },
        [&](int64_t line, const Translation& translation) {
          texts.push_back(translation.text);
          EXPECT_EQ(line, static_cast<int64_t>(texts.size()));
        },
        window);
    EXPECT_EQ(count, 7);
    for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_EQ(texts.at(i), expected[i].text);
  }
}

TEST(Translator, ALongLineIsCutAndNamedAndItsNeighboursAreNot) {
  DecodeConfig config;
  config.max_source_length = 8;
  auto translator = make_translator(random_model(small_models()[0]), config);
  const std::string line = "mira tolo sena kupo vadi rel nostra mira tolo";
  testing::internal::CaptureStderr();
  const auto found = translator.translate({"mira", line, "tolo"}, 41);
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("cut to 8 pieces before translating: line 42"),
      std::string::npos);
  EXPECT_EQ(found.at(1).source_pieces.size(), 9U);  // </s> is the ninth
  EXPECT_EQ(found.at(0).text, translator.translate({"mira"})[0].text);
  EXPECT_EQ(found.at(2).text, translator.translate({"tolo"})[0].text);
}

TEST(Translator, AModelsOwnLimitCutsATranslationAndRefusesToScore) {
  auto model = std::make_shared<toy::ToyModel>(/*longest=*/6);
  Translator translator({{model, vocabulary(), vocabulary()}}, {}, at::kCPU, at::kFloat);
  EXPECT_EQ(translator.source_limit(), 5);
  const std::string line = "mira tolo sena kupo vadi rel nostra mira tolo";
  try {
    translator.score({"mira", line}, {"mira", "mira"});
    FAIL() << "not refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("can take 5"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(model->batches.empty());
}

TEST(Translator, AnInterruptionLeavesTheBatchesThatHaveNotBegun) {
  for (const std::size_t kind : {0U, 1U}) {
    DecodeConfig config;
    config.batch_size = 1;
    auto translator = make_translator(random_model(small_models()[kind]), config);
    const auto whole = translator.translate(kLines);
    std::atomic<int> asked = 0;
    translator.interrupted = [&] { return ++asked > 2; };
    const auto found = translator.translate(kLines);
    ASSERT_EQ(found.size(), kLines.size());
    int searched = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      searched += !found[i].hypotheses.empty();
      EXPECT_EQ(found[i].text, found[i].hypotheses.empty() ? "" : whole[i].text);
    }
    EXPECT_EQ(searched, 2);
  }
}

TEST(Translator, ACoveragePenaltyNeedsAttention) {
  DecodeConfig config;
  config.coverage_penalty = 0.2;
  for (const std::size_t attends : {0U, 1U, 3U})
    EXPECT_NO_THROW(make_translator(random_model(small_models()[attends]), config));
  const auto blind = random_model(small_models()[2]);
  EXPECT_EQ(message_of<UserError>([&] { make_translator(blind, config); }),
            "decoding.coverage_penalty: counts the attention of the first model, which has none; "
            "set it to 0");
}

TEST(Translator, PairsOfDifferentCountsAreRefused) {
  auto translator = make_translator(random_model(small_models()[1]));
  EXPECT_THROW(translator.score({"mira", "tolo"}, {"mira"}), UserError);
}

TEST(Translator, SamplesBelongToTheLineAndNotToTheBatch) {
  DecodeConfig config;
  config.sampling.top_k = 8;
  auto translator = make_translator(random_model(small_models()[0]), config);
  const auto all = translator.translate(kLines);
  EXPECT_EQ(translator.translate({kLines[5]}, 6)[0].text, all[5].text);
}

TEST(Batches, AreSortedByLengthAndKeepWithinTheBounds) {
  const std::vector<int64_t> lengths{3, 0, 9, 1, 40, 3, 0, 8};
  const auto batches = batches_by_length(lengths, 3, 20, /*skip=*/0);
  const std::vector<std::vector<int64_t>> expected{{4}, {2, 7}, {0, 5, 3}};
  EXPECT_EQ(batches, expected);  // the 40 alone, (9 + 1) * 2 tokens, three sentences
}

TEST(ForcedAttention, RowsSumToOneAndCarryThePieces) {
  auto translator = make_translator(random_model(small_models()[0]));
  AttentionRequest request{.encoder = true, .decoder = true, .cross = true};
  const std::vector<std::string> sources{"mira tolo sena", "kupo"},
      targets{"rel", "vadi vadi kupo"};
  const auto sentences = attention_maps(translator, sources, targets, request);
  ASSERT_EQ(sentences.size(), 2U);
  for (const auto& one : sentences) {
    ASSERT_EQ(one.matrices.size(), 3 * 2 * 3U);  // kinds, layers, heads
    for (const auto& matrix : one.matrices) {
      const bool encoder = matrix.kind == model::AttentionKind::kEncoder;
      EXPECT_EQ(matrix.row_labels, encoder ? one.source_pieces : one.target_pieces);
      ASSERT_EQ(static_cast<int64_t>(matrix.column_labels.size()), matrix.columns);
      ASSERT_EQ(static_cast<int64_t>(matrix.weights.size()), matrix.rows * matrix.columns);
      for (int64_t r = 0; r < matrix.rows; ++r) {
        double sum = 0;
        for (int64_t c = 0; c < matrix.columns; ++c) {
          const float weight = matrix.weights[r * matrix.columns + c];
          sum += weight;
          if (matrix.kind == model::AttentionKind::kDecoder && c > r) {
            EXPECT_EQ(weight, 0);
          }
        }
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
  EXPECT_EQ(sentences[0].matrices[6].column_labels[0], "<s>");
}

TEST(ForcedAttention, OfItsOwnTranslationIsWhatTheSearchSaw) {
  for (const std::size_t kind : {0U, 1U, 3U}) {
    auto translator = make_translator(random_model(small_models()[kind]));
    translator.keep_attention = true;
    const std::vector<std::string> sources{"mira tolo sena rel", "", "kupo vadi"};
    const auto translations = translator.translate(sources);
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
        for (int64_t c = 0; c < matrix.columns; ++c)
          EXPECT_NEAR(matrix.weights[r * matrix.columns + c], rows[r][c], 1e-4);
    }
  }
}

TEST(ForcedAttention, ChoosesLayersAndHeadsOnceAndInOrder) {
  auto translator = make_translator(random_model(small_models()[0]));
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
  auto blind = make_translator(random_model(small_models()[2]));
  EXPECT_THROW(attention_maps(blind, {"mira"}, std::nullopt, {}), UserError);
  auto rnn = make_translator(random_model(small_models()[1]));
  EXPECT_THROW(attention_maps(rnn, {"mira"}, std::nullopt, {.layers = {1}}), UserError);
  EXPECT_THROW(attention_maps(rnn, {"mira"}, std::nullopt, {.heads = {1}}), UserError);
  EXPECT_THROW(attention_maps(rnn, {"mira"}, std::nullopt, {.encoder = true}), UserError);
  const std::vector<std::string> targets{"tolo", "rel"};
  EXPECT_THROW(attention_maps(rnn, {"mira"}, targets, {}), UserError);
}

TEST(ForcedAttention, ALineTooLongIsNamedByItsPlaceInTheFile) {
  auto model = std::make_shared<toy::ToyModel>(/*longest=*/6);
  Translator translator({{model, vocabulary(), vocabulary()}}, {}, at::kCPU, at::kFloat);
  const std::vector<std::string> lines{"mira", "mira tolo sena kupo vadi rel nostra mira tolo"};
  try {
    attention_maps(translator, lines, lines, {}, /*first_line=*/65);
    FAIL() << "not refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("line 66 has"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed::decode
