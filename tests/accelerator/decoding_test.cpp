// Translating, scoring and looking at attention on the simulated accelerator: what the CPU gives,
// and one thing a step that the host waits for.
//
// Tolerances: on the CPU Transformers are packed and recurrent models run in heed's kernels; both
// compute in fp32 and add in other orders. Log-probabilities of a whole translation differ by 1e-6
// of themselves, on a processor with AMX by 1.6e-6; weights that no two pieces are nearly equal
// with make the same translations of them.
#include <gtest/gtest.h>

#include "accelerator/support.h"
#include "base/error.h"
#include "decode/model_search.h"
#include "decode/translator.h"
#include "inspect/attention_maps.h"
#include "model/description/traits.h"
#include "model/model.h"

namespace heed::accelerator {
namespace {

using decode::Translator;
using ::testing::IsEmpty;

constexpr double kTolerance = 2e-5;

const std::vector<std::string> kSources{"mira tolo", "", "sena kupo vadi rel", "kupo"};
const std::vector<std::string> kTargets{"vadi", "rel", "mira tolo sena", "kupo tolo"};

model::ModelPtr sharp_model(const model::ModelConfig& config) {
  const model::ModelPtr model = model::testing::model_of(config, vocabulary().size(), 5);
  const at::NoGradGuard no_gradients;
  const double factor = config.type == model::ModelType::rnn ? 1.5 : 2;
  for (at::Tensor& parameter : model->parameters())
    if (parameter.dim() > 1) parameter.mul_(factor);
  return model;
}

Translator translator_on(const at::Device& where, const model::ModelConfig& kind,
                         at::ScalarType precision = at::kFloat) {
  decode::DecodeConfig config;
  config.beam_size = 3;
  config.n_best = 2;
  config.batch_size = 2;
  config.max_length_ratio = 0.5;
  config.no_repeat_ngram = 3;
  return Translator({{sharp_model(kind), vocabulary(), vocabulary()}}, config, where, precision);
}

class EveryDecoder : public ::testing::TestWithParam<NamedConfig> {
 protected:
  const model::ModelConfig& kind() const { return GetParam().config; }
};

TEST_P(EveryDecoder, TranslatesAsOnTheCpu) {
  Translator there = translator_on(device(), kind()), here = translator_on(at::kCPU, kind());
  const decode::LinesRequest request{.lines = kSources, .keep_attention = true};
  const Watch watch;
  const auto ours = there.translate(request).translations,
             cpu = here.translate(request).translations;
  EXPECT_THAT(watch.waits(Wait::kWrite), IsEmpty());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].texts, cpu[i].texts);
    ASSERT_EQ(ours[i].hypotheses.size(), cpu[i].hypotheses.size());
    for (std::size_t n = 0; n < ours[i].hypotheses.size(); ++n) {
      const auto &a = ours[i].hypotheses[n], &b = cpu[i].hypotheses[n];
      EXPECT_EQ(a.ids, b.ids);
      EXPECT_NEAR(a.score, b.score, kTolerance);
      ASSERT_EQ(a.attention.size(), b.attention.size());
      for (std::size_t t = 0; t < a.attention.size(); ++t)
        EXPECT_THAT(a.attention[t],
                    ::testing::Pointwise(::testing::FloatNear(kTolerance), b.attention[t]));
    }
  }
}

TEST_P(EveryDecoder, ScoresAndShowsAttentionAsOnTheCpu) {
  Translator there = translator_on(device(), kind()), here = translator_on(at::kCPU, kind());
  const Watch watch;
  const auto ours = there.score(kSources, kTargets), cpu = here.score(kSources, kTargets);
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i].log_probability, cpu[i].log_probability,
                2e-6 * (1 - cpu[i].log_probability));
  EXPECT_EQ(watch.waits(Wait::kRead).size(), 2U);  // of each batch

  if (!there.first().model->attends()) return;
  const inspect::AttentionRequest request{.kinds = model::traits(kind()).kinds};
  const Watch looking;
  const auto a = inspect::attention_maps(there, kSources, kTargets, request),
             b = inspect::attention_maps(here, kSources, kTargets, request);
  std::size_t layers = 0;
  for (const auto& [of, heads] : model::traits(kind()).heads_left) layers += heads.size();
  EXPECT_EQ(looking.waits(Wait::kRead).size(), layers);  // of each map: one batch
  EXPECT_THAT(looking.waits(Wait::kWrite), IsEmpty());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].matrices.size(), b[i].matrices.size());
    for (std::size_t m = 0; m < a[i].matrices.size(); ++m)
      EXPECT_THAT(a[i].matrices[m].weights,
                  ::testing::Pointwise(::testing::FloatNear(kTolerance), b[i].matrices[m].weights));
  }
}

TEST_P(EveryDecoder, TranslatesUnderAutocast) {
  Translator translator = translator_on(device(), kind(), at::kBFloat16);
  for (const auto& one : translator.translate({.lines = kSources}).translations)
    for (const auto& hypothesis : one.hypotheses) EXPECT_TRUE(std::isfinite(hypothesis.score));
}

/// The number of times that the host waits in a search.
std::size_t waits_of(const model::ModelConfig& kind, const decode::DecodeConfig& config,
                     bool keep_attention) {
  const model::ModelPtr model = sharp_model(kind);
  model->to(device());
  const auto source = model::make_source(small_batch(), device());
  const Watch watch;
  decode::search({model.get()}, {source}, {.config = config, .keep_attention = keep_attention});
  EXPECT_THAT(watch.waits(Wait::kWrite), IsEmpty());
  EXPECT_THAT(watch.waits(Wait::kRead), IsEmpty());
  return watch.waits(Wait::kEvent).size();
}

TEST_P(EveryDecoder, WaitsOnceInAStep) {
  decode::DecodeConfig config;
  config.beam_size = 3;
  config.max_length_ratio = 0.1;
  config.min_length = 10;        // nothing ends before its limit
  const std::size_t steps = 11;  // length_limit() of 1 to 4 pieces
  EXPECT_EQ(waits_of(kind(), config, false), steps);
  EXPECT_EQ(waits_of(kind(), config, true), steps);  // attention arrives with the candidates
  config.sampling.top_p = 0.9;                       // all pieces are candidates
  EXPECT_EQ(waits_of(kind(), config, true), steps);
}

TEST_P(EveryDecoder, TranslatesAsOnTheCpuWhileSentencesLeave) {
  // Eight together: those that are done stay until two are.
  const std::vector<std::string> lines{"mira",      "tolo sena", "kupo vadi rel",  "nostra",
                                       "mira tolo", "rel",       "sena kupo mira", "vadi"};
  const std::vector<std::string> prefixes{"", "mira", "", "", "rel kupo", "", "", ""};
  decode::DecodeConfig config;
  config.max_length_ratio = 1;
  config.min_length = 1;
  std::vector<std::vector<decode::Translation>> found;
  for (const at::Device& where : {device(), at::Device(at::kCPU)}) {
    auto& all = found.emplace_back();
    for (const int64_t beam : {4, 1}) {
      config.beam_size = beam;
      Translator translator({{sharp_model(kind()), vocabulary(), vocabulary()}}, config, where,
                            at::kFloat);
      for (const auto& one : translator.translate({.lines = lines}).translations)
        all.push_back(one);
      for (const auto& one :
           translator.translate({.lines = lines, .prefixes = prefixes}).translations)
        all.push_back(one);
    }
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    const decode::Translation &there = found[0][i], &here = found[1][i];
    // With relative positions and a window, steps after the same few pieces are the same: where a
    // piece is repeated, another one is as likely at each of several positions.
    if (there.text == here.text) continue;
    EXPECT_NEAR(there.hypotheses.at(0).score, here.hypotheses.at(0).score, 1e-6)
        << there.text << " | " << here.text;
  }
}

/// Operations of the steps of a search that goes on for so many pieces.
int64_t launches_of(const model::ModelConfig& kind, int64_t length) {
  const model::ModelPtr model = sharp_model(kind);
  model->to(device());
  const auto source = model::make_source(small_batch(), device());
  decode::DecodeConfig config;
  config.beam_size = 3;
  config.max_length_ratio = 0.1;
  config.min_length = length;
  const Work work;
  decode::search({model.get()}, {source}, {.config = config});
  return work.launches();
}

TEST_P(EveryDecoder, TakesAsManyLaunchesForEachStep) {
  // Windows begin to hide something, and room for more steps is made, now and then.
  const int64_t early = launches_of(kind(), 20) - launches_of(kind(), 14);
  const int64_t late = launches_of(kind(), 36) - launches_of(kind(), 30);
  EXPECT_NEAR(static_cast<double>(late), static_cast<double>(early), 6);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryDecoder, ::testing::ValuesIn(every_kind()),
                         [](const auto& info) { return info.param.name; });

TEST(AcceleratorDecoding, ScoresThatAreNoNumbersAreAFailure) {
  for (const double top_p : {0.0, 0.9}) {
    const model::ModelPtr model = sharp_model(every_kind().back().config);
    const at::NoGradGuard no_gradients;
    model->parameters().back().fill_(NAN);
    model->to(device());
    decode::DecodeConfig config;
    config.sampling.top_p = top_p;  // all pieces are candidates
    const auto source = model::make_source(small_batch(), device());
    EXPECT_THROW(decode::search({model.get()}, {source}, {.config = config}), Failure);
  }
}

/// A Transformer's translations of many lines.
class ManyLines {
 public:
  explicit ManyLines(int64_t batch_size) : translator_(make(batch_size)) {
    for (int i = 0; i < 60; ++i) {
      lines_.emplace_back("mira");
      for (int j = 0; j < i % 5; ++j) lines_.back() += j % 2 == 0 ? " tolo" : " vadi";
    }
  }
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (const auto& one : translator_.translate({.lines = lines_}).translations)
      out.push_back(one.text);
    return out;
  }
  int64_t batches() const { return std::ssize(translator_.batches_of({.lines = lines_})); }
  const Translator& translator() const { return translator_; }

 private:
  static Translator make(int64_t batch_size) {
    decode::DecodeConfig config;
    config.batch_size = batch_size;
    config.max_length_ratio = 1;
    config.graphs = decode::Graphs::off;  // whose memory recorded_steps_test.cpp has
    return Translator(
        {{sharp_model(model::testing::small_transformer()), vocabulary(), vocabulary()}}, config,
        device(), at::kFloat);
  }

  Translator translator_;
  std::vector<std::string> lines_;
};

TEST(AcceleratorDecoding, ABatchThatDoesNotFitIsTranslatedInHalves) {
  ManyLines all(60);
  const auto texts = all.texts();
  EXPECT_EQ(all.batches(), 1);
  const MemoryLimit limit(memory_in_use() + (1 << 20));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(all.texts(), texts);
  EXPECT_EQ(all.texts(), texts);  // and says so once
  const std::string log = ::testing::internal::GetCapturedStderr();
  const std::string warning = "memory runs out on a batch of 60 sentences";
  EXPECT_THAT(log, ::testing::HasSubstr(warning));
  EXPECT_EQ(log.find(warning), log.rfind(warning));
  EXPECT_THAT(log, ::testing::HasSubstr("decoding.batch_size: 30 avoids the repeated work"));
}

TEST(AcceleratorDecoding, ASentenceThatDoesNotFitIsAFailure) {
  ManyLines all(60);
  const MemoryLimit limit(memory_in_use() + 1000);
  EXPECT_THROW(all.texts(), Failure);
}

TEST(AcceleratorDecoding, ABatchIsWhatFits) {
  const auto texts = ManyLines(32).texts();
  ManyLines plenty(0);
  EXPECT_EQ(plenty.translator().batch_size(), 2048);
  EXPECT_EQ(plenty.translator().chunk_size(), 32 * 2048);
  EXPECT_EQ(plenty.batches(), 1);
  EXPECT_EQ(plenty.texts(), texts);
  const int64_t weights = memory_in_use();
  int64_t before = 2049;
  for (const int64_t free : {1 << 22, 1 << 20, 1 << 18}) {
    const MemoryLimit limit(2 * weights + free);
    ManyLines some(0);
    const int64_t batch = some.translator().batch_size();
    EXPECT_LT(batch, before);
    // Logits and log-probabilities of five hypotheses take an eighth of what is free.
    const int64_t sentence = 5 * vocabulary().size() * 8;
    EXPECT_LE(batch * sentence * 8, free + weights);
    EXPECT_EQ(some.texts(), texts);
    before = batch;
  }
}

TEST(AcceleratorDecoding, EnsemblesTranslateAsOnTheCpu) {
  decode::DecodeConfig config;
  config.beam_size = config.n_best = 3;
  config.max_length_ratio = 0.5;
  std::vector<std::vector<std::string>> texts[2];
  for (const bool there : {true, false}) {
    std::vector<decode::TranslatorModel> members;
    for (const NamedConfig& kind : {every_kind().front(), every_kind().back()})
      members.push_back({sharp_model(kind.config), vocabulary(), vocabulary()});
    Translator translator(std::move(members), config, there ? device() : at::Device(at::kCPU),
                          at::kFloat);
    for (const auto& one : translator.translate({.lines = kSources}).translations)
      texts[there].push_back(one.texts);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(AcceleratorDecoding, SamplingDrawsAsOnTheCpu) {
  decode::DecodeConfig config;
  config.sampling.top_k = 4;
  config.max_length_ratio = 0.5;
  std::vector<std::vector<std::string>> texts;
  for (const at::Device& where : {device(), at::Device(at::kCPU)}) {
    Translator translator({{sharp_model(every_kind().front().config), vocabulary(), vocabulary()}},
                          config, where, at::kFloat);
    for (const auto& one : translator.translate({.lines = kSources}).translations)
      texts.push_back(one.texts);
  }
  const auto half = texts.begin() + static_cast<std::ptrdiff_t>(kSources.size());
  EXPECT_TRUE(std::equal(texts.begin(), half, half));
}

}  // namespace
}  // namespace heed::accelerator
