// Steps of the search as graphs: the translations of steps that are none.
#include "decode/recorded_steps.h"

#include <gtest/gtest.h>

#include <optional>

#include "accelerator/support.h"
#include "base/error.h"
#include "decode/model_steps.h"
#include "decode/translator.h"
#include "model/model.h"

namespace heed::accelerator {
namespace {

using config::Graphs;
using decode::DecodeConfig;
using decode::Translation;
using decode::Translator;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kSameScore = 1e-5;

/// Weights that no two translations are nearly as likely with.
model::ModelPtr sharpened(const model::ModelConfig& config) {
  const model::ModelPtr model = model::testing::model_of(config, vocabulary().size(), 5);
  const at::NoGradGuard no_gradients;
  for (at::Tensor& parameter : model->parameters())
    if (parameter.dim() > 1) parameter.mul_(2);
  return model;
}

/// Batches of 1 to 7 pieces; the last one has fewer sentences.
std::vector<std::string> many_lines() {
  const std::vector<std::string> words{"mira", "tolo", "sena", "kupo", "vadi", "rel", "nostra"};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 45; ++i) {
    lines.emplace_back();
    for (std::size_t j = 0; j <= i / 2 % 7; ++j) lines.back() += words[(3 * i + 5 * j) % 7] + " ";
  }
  return lines;
}

DecodeConfig config_of_search(int64_t beam, Graphs graphs = Graphs::auto_) {
  DecodeConfig config;
  config.beam_size = beam;
  config.batch_size = 20;
  config.max_length_ratio = 3;
  config.graphs = graphs;
  return config;
}

Translator translator_of(const model::ModelConfig& kind, const DecodeConfig& config,
                         at::ScalarType precision = at::kFloat) {
  Translator out({{sharpened(kind), vocabulary(), vocabulary()}}, config, device(), precision);
  return out;
}

void expect_same(const std::vector<Translation>& ours, const std::vector<Translation>& plain) {
  ASSERT_EQ(ours.size(), plain.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(ours[i].texts, plain[i].texts);
    ASSERT_EQ(ours[i].hypotheses.size(), plain[i].hypotheses.size());
    for (std::size_t n = 0; n < ours[i].hypotheses.size(); ++n) {
      EXPECT_EQ(ours[i].hypotheses[n].ids, plain[i].hypotheses[n].ids);
      EXPECT_NEAR(ours[i].hypotheses[n].score, plain[i].hypotheses[n].score, kSameScore);
    }
  }
}

std::vector<NamedConfig> kinds_with_graphs() {
  std::vector<NamedConfig> kinds;
  for (const char* positions : {"sinusoidal", "rotary", "learned", "none"})
    for (const int64_t kv_heads : {0, 2, 1}) {
      model::ModelConfig config = model::testing::small_transformer();
      config.positions = positions;
      config.kv_heads = kv_heads;
      config.decoder_layers = 2;
      if (kv_heads == 0) config.pruned_heads = {"decoder.0.1", "cross.1.2"};
      kinds.push_back({std::string(positions) + "_kv" + std::to_string(kv_heads), config});
    }
  return kinds;
}

class EveryKindWithGraphs : public ::testing::TestWithParam<NamedConfig> {};

TEST_P(EveryKindWithGraphs, TranslatesAsWithoutThem) {
  const auto lines = many_lines();
  std::vector<std::string> prefixes(lines.size());
  prefixes[3] = "mira";
  prefixes[40] = "rel kupo sena";
  for (const int64_t beam : {1, 5}) {
    DecodeConfig config = config_of_search(beam);
    config.n_best = beam;
    config.no_repeat_ngram = 4;
    Translator ours = translator_of(GetParam().config, config);
    config.graphs = Graphs::off;
    Translator plain = translator_of(GetParam().config, config);
    const Watch watch;
    expect_same(ours.translate({.lines = lines}).translations,
                plain.translate({.lines = lines}).translations);
    expect_same(ours.translate({.lines = lines, .prefixes = prefixes}).translations,
                plain.translate({.lines = lines, .prefixes = prefixes}).translations);
    EXPECT_THAT(watch.waits(Wait::kRead), IsEmpty());
    EXPECT_THAT(watch.waits(Wait::kWrite), IsEmpty());
    EXPECT_GE(ours.recorded()->graphs(), 3);
    EXPECT_LE(ours.recorded()->graphs(), 12);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKindWithGraphs, ::testing::ValuesIn(kinds_with_graphs()),
                         [](const auto& info) { return info.param.name; });

TEST(RecordedSteps, AreKeptFromBatchToBatch) {
  Translator translator = translator_of(model::testing::small_transformer(), config_of_search(3));
  const auto lines = many_lines();
  int64_t graphs = 0;
  for (int i = 0; i < 8; ++i) {  // until each shape has been worth it
    graphs = translator.recorded()->graphs();
    translator.translate({.lines = lines});
  }
  EXPECT_EQ(translator.recorded()->graphs(), graphs);
  EXPECT_GE(graphs, 3);
  EXPECT_LE(graphs, 16);
}

TEST(RecordedSteps, SampleAsWithoutThem) {
  DecodeConfig config = config_of_search(1);
  config.sampling.top_k = 4;
  config.n_best = 3;
  Translator ours = translator_of(model::testing::small_transformer(), config);
  config.graphs = Graphs::off;
  Translator plain = translator_of(model::testing::small_transformer(), config);
  expect_same(ours.translate({.lines = many_lines()}).translations,
              plain.translate({.lines = many_lines()}).translations);
  EXPECT_GE(ours.recorded()->graphs(), 2);
}

TEST(RecordedSteps, ComputeWithTheWeightsOfNowInLowPrecision) {
  const auto lines = many_lines();
  DecodeConfig config = config_of_search(1);
  Translator ours = translator_of(model::testing::small_transformer(), config, at::kBFloat16);
  config.graphs = Graphs::off;
  Translator plain = translator_of(model::testing::small_transformer(), config, at::kBFloat16);
  for (const double factor : {1.0, 0.5}) {
    for (Translator* one : {&ours, &plain}) {
      const at::NoGradGuard no_gradients;
      for (at::Tensor& parameter : one->first().model->parameters()) parameter.mul_(factor);
    }
    const auto a = ours.translate({.lines = lines}).translations,
               b = plain.translate({.lines = lines}).translations;
    for (std::size_t i = 0; i < lines.size(); ++i)
      EXPECT_NEAR(a[i].hypotheses[0].score, b[i].hypotheses[0].score, 0.1) << i;
  }
  EXPECT_GE(ours.recorded()->graphs(), 2);
}

TEST(RecordedSteps, AreLeftWhereMemoryRunsOut) {
  const auto lines = many_lines();
  const model::ModelConfig kind = model::testing::small_transformer();
  const auto all = translator_of(kind, config_of_search(5, Graphs::off))
                       .translate({.lines = lines})
                       .translations;
  int searches = 0;
  for (const int64_t free : {1 << 16, 1 << 18, 1 << 20, 1 << 22, 3 << 21, 1 << 23, 1 << 24}) {
    const auto within = [&](Graphs graphs) -> std::optional<std::vector<Translation>> {
      Translator translator = translator_of(kind, config_of_search(5, graphs));
      const MemoryLimit limit(memory_in_use() + free);
      try {
        return translator.translate({.lines = lines}).translations;
      } catch (const Failure&) {
        return std::nullopt;
      }
    };
    const auto ours = within(Graphs::auto_), plain = within(Graphs::off);
    EXPECT_EQ(ours.has_value(), plain.has_value()) << free;
    if (!ours) continue;
    expect_same(*ours, all);
    ++searches;
  }
  EXPECT_GE(searches, 5);
}

/// The lines that the log has of a search.
std::string log_of(const model::ModelConfig& kind, const DecodeConfig& config,
                   bool keep_attention = false) {
  ::testing::internal::CaptureStderr();
  Translator translator = translator_of(kind, config);
  const decode::LinesRequest request{.lines = many_lines(), .keep_attention = keep_attention};
  for (int i = 0; i < 2; ++i) decode::with_logged_warnings(translator.translate(request));
  return ::testing::internal::GetCapturedStderr();
}

TEST(RecordedSteps, SayOnceWhyThereAreNone) {
  const model::ModelConfig plain = model::testing::small_transformer();
  const auto says = [](const std::string& why) {
    return HasSubstr("decoding.graphs: steps are not recorded: " + why);
  };
  model::ModelConfig alibi = plain, narrow = plain;
  alibi.positions = "alibi";
  narrow.sliding_window = 2;
  const std::string log = log_of(alibi, config_of_search(3));
  EXPECT_THAT(log, says("the model's self-attention is not"));
  EXPECT_EQ(log.find("decoding.graphs"), log.rfind("decoding.graphs"));
  EXPECT_THAT(log_of(narrow, config_of_search(3)), says("the model's self-attention is not"));
  EXPECT_THAT(log_of(every_kind().front().config, config_of_search(3)),
              says("the model is no Transformer"));
  EXPECT_THAT(log_of(plain, config_of_search(3), true), says("their attention is asked for"));
  EXPECT_THAT(log_of(plain, config_of_search(3)), Not(HasSubstr("decoding.graphs")));
  EXPECT_THAT(log_of(plain, config_of_search(3, Graphs::off)), Not(HasSubstr("decoding.graphs")));
  ::testing::internal::CaptureStderr();
  const Translator on_cpu({{sharpened(plain), vocabulary(), vocabulary()}}, config_of_search(3),
                          at::kCPU, at::kFloat);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), Not(HasSubstr("decoding.graphs")));
}

}  // namespace
}  // namespace heed::accelerator
