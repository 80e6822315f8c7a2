// Engines against the models that they were made of, step by step, while sentences leave and
// hypotheses change slots.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decode/model_steps.h"
#include "decode/translator.h"
#include "model/kinds.h"
#include "model/model.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

using engine::BatchDecoder;
using engine::Floats;
using engine::WeightFormat;

using model::ModelPtr;
using model::Source;
using model::State;
using model::Trace;

constexpr int64_t kVocabularyPieces = 41;

Source three_sentences() {
  Source source{.tokens = at::randint(4, kVocabularyPieces, {3, 9}, at::kLong),
                .lengths = at::tensor({9, 4, 1}, at::kLong)};
  source.valid = at::arange(9).unsqueeze(0) < source.lengths.unsqueeze(1);
  return source;
}

/// Every kind of Transformer.
std::vector<model::testing::NamedConfig> transformer_kinds() {
  std::vector<model::testing::NamedConfig> kinds;
  for (auto& [name, config] : model::testing::transformer_kinds()) {
    name = model::testing::name_of_transformer(config);
    const bool known =
        std::ranges::any_of(kinds, [&](const auto& kind) { return kind.name == name; });
    if (!known && engine::has_network(config)) kinds.push_back({name, config});
  }
  // Without some of their heads.
  for (const char* positions : {"rotary", "alibi"}) {
    model::ModelConfig config = kinds.front().config;
    config.positions = positions;
    config.self_attention = "softmax";
    config.kv_heads = config.sliding_window = config.global_tokens = config.attention_stride = 0;
    config.pruned_heads = {"encoder.0.1", "decoder.0.0", "cross.0.1"};
    kinds.push_back({std::string(positions) + "_pruned", config});
  }
  return kinds;
}

std::vector<model::testing::NamedConfig> engine_kinds() {
  std::vector<model::testing::NamedConfig> kinds = transformer_kinds();
  for (auto& kind : model::testing::recurrent_kinds())
    if (engine::has_network(kind.config)) kinds.push_back(std::move(kind));
  return kinds;
}

engine::SourceBatch source_batch(const Source& source) {
  return {source.tokens.const_data_ptr<int64_t>(), source.lengths.const_data_ptr<int64_t>(),
          source.tokens.size(0), source.tokens.size(1)};
}

Tensor step(BatchDecoder& decoder, const Tensor& tokens, Floats* attention = nullptr) {
  const float* logits =
      decoder.step(tokens.const_data_ptr<int64_t>(), tokens.size(1), attention).logits();
  return at::from_blob(const_cast<float*>(logits),
                       {tokens.size(0), tokens.size(1), kVocabularyPieces})
      .clone();
}

class Engine : public ::testing::TestWithParam<model::testing::NamedConfig> {};

TEST_P(Engine, StepsAsTheModelDoes) {
  const ModelPtr model = model::testing::model_of(GetParam().config, kVocabularyPieces);
  model->eval();
  const at::NoGradGuard no_gradients;
  const Source source = three_sentences();
  const struct {
    WeightFormat numbers;
    double tolerance;
  } kinds[] = {{WeightFormat::fp32, 2e-5}, {WeightFormat::bf16, 0.3}, {WeightFormat::int8, 0.3}};
  for (const auto& [numbers, tolerance] : kinds) {
    const auto engine = network_of(*model, numbers);
    ASSERT_TRUE(engine);
    State state = model->start(source);
    const auto decoder = engine->start(source_batch(source), libtorch_threads());
    const auto expect_equal = [&](const Tensor& tokens) {
      Trace trace;
      Floats attention;
      const Tensor wanted = model->step(tokens, state, &trace);
      const Tensor got = step(*decoder, tokens, &attention);
      EXPECT_LT((got - wanted).abs().max().item<double>(),
                tolerance * std::max(1.0, wanted.abs().max().item<double>()));
      ASSERT_EQ(trace.maps.empty(), attention.empty());
      if (attention.empty()) return;
      const Tensor weights = trace.maps.back().weights.mean(1);  // [sentences, beam, source]
      EXPECT_LT((at::tensor(attention).view(weights.sizes()) - weights).abs().max().item<double>(),
                tolerance);
    };
    const auto reorder = [&](const Tensor& sentences, const Tensor& hypotheses) {
      model::reorder(state, sentences, hypotheses);
      const auto numbers = [](const Tensor& x) {
        return x.defined() ? std::span(x.const_data_ptr<int64_t>(), x.numel())
                           : std::span<const int64_t>();
      };
      decoder->reorder(numbers(sentences), numbers(hypotheses));
    };
    const Tensor first = at::arange(3).unsqueeze(1);  // hypothesis of each sentence
    expect_equal(at::full({3, 1}, 2, at::kLong));
    reorder({}, first.expand({3, 4}).contiguous());
    for (int64_t i = 0; i < 3; ++i) {
      expect_equal(at::randint(4, kVocabularyPieces, {3, 4}, at::kLong));
      reorder({}, at::randint(0, 4, {3, 4}, at::kLong) + 4 * first);
    }
    const Tensor kept = at::tensor({2, 0}, at::kLong);
    reorder(kept, at::randint(0, 4, {2, 3}, at::kLong) + 4 * kept.unsqueeze(1));
    for (int64_t i = 0; i < 3; ++i)
      expect_equal(at::randint(4, kVocabularyPieces, {2, 3}, at::kLong));
  }
}

TEST_P(Engine, HasNoScoresWhereAWeightIsNan) {
  const ModelPtr model = model::testing::model_of(GetParam().config, kVocabularyPieces);
  model->eval();
  const at::NoGradGuard no_gradients;
  const Source source = three_sentences();
  for (const auto& parameter : model->named_parameters()) {
    const Tensor weight = parameter.value(), kept = weight.clone();
    weight.fill_(NAN);
    for (const auto numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8}) {
      const auto engine = network_of(*model, numbers);
      const auto decoder = engine->start(source_batch(source), libtorch_threads());
      const Tensor tokens = at::full({3, 1}, 2, at::kLong);
      step(*decoder, tokens);  // coverage reads some weights for the next step alone
      EXPECT_TRUE(step(*decoder, tokens).isnan().all().item<bool>())
          << parameter.key() << ", numbers " << static_cast<int>(numbers);
    }
    weight.copy_(kept);
  }
}

TEST_P(Engine, GivesTheSameBitsWithAndWithoutNeighbours) {
  const ModelPtr model = model::testing::model_of(GetParam().config, kVocabularyPieces);
  model->eval();
  const at::NoGradGuard no_gradients;
  const Source source = three_sentences();
  for (const auto numbers : {WeightFormat::fp32, WeightFormat::int8}) {
    const auto engine = network_of(*model, numbers);
    const auto together = engine->start(source_batch(source), libtorch_threads());
    const Tensor all = step(*together, at::full({3, 1}, 2, at::kLong));
    for (int64_t s = 0; s < 3; ++s) {
      const int64_t length = source.lengths[s].item<int64_t>();
      const Source one{.tokens = source.tokens.narrow(0, s, 1).narrow(1, 0, length).contiguous(),
                       .lengths = source.lengths.narrow(0, s, 1),
                       .valid = at::ones({1, length}, at::kBool)};
      const auto alone = engine->start(source_batch(one), libtorch_threads());
      EXPECT_TRUE(at::equal(step(*alone, at::full({1, 1}, 2, at::kLong))[0], all[s]));
    }
  }
}

// Every layer and head of every kind, of a translation that is read.
TEST_P(Engine, LooksWhereTheModelDoes) {
  const ModelPtr model = model::testing::model_of(GetParam().config, kVocabularyPieces);
  model->eval();
  const at::NoGradGuard no_gradients;
  const Source source = three_sentences();
  Tensor target = at::randint(4, kVocabularyPieces, {3, 5}, at::kLong);
  target.narrow(1, 0, 1).fill_(text::kBegin);  // as in every translation
  Trace trace{.kinds = {config::kAttentionKinds.begin(), config::kAttentionKinds.end()}};
  model->features(source, target, &trace);
  const auto engine = network_of(*model, WeightFormat::fp32);
  engine::LayerMaps maps;
  const auto decoder = engine->start(source_batch(source), libtorch_threads(), &maps);
  const auto expect_row = [&](engine::LayerMap& map, int64_t row, int64_t sentence, int64_t query) {
    const auto wanted = std::ranges::find_if(trace.maps, [&](const model::AttentionMap& of) {
      return of.kind == map.kind && of.layer == map.layer;
    });
    ASSERT_NE(wanted, trace.maps.end());
    const int64_t heads = map.heads, keys = map.keys;
    const Tensor got = at::from_blob(map.weights.data() + row * heads * keys, {heads, keys});
    const Tensor weights = wanted->weights[sentence].select(1, query).narrow(1, 0, keys);
    ASSERT_EQ(got.sizes(), weights.sizes());
    EXPECT_LT((got - weights).abs().max().item<double>(), 2e-5);
  };
  const std::size_t of_encoder = maps.size();
  for (engine::LayerMap& map : maps)
    for (int64_t s = 0, row = 0; s < 3; ++s)
      for (int64_t i = 0; i < source.lengths[s].item<int64_t>(); ++i) expect_row(map, row++, s, i);
  for (int64_t t = 0; t < target.size(1); ++t) {
    step(*decoder, target.narrow(1, t, 1).contiguous());
    for (engine::LayerMap& map : maps)
      for (int64_t s = 0; s < 3; ++s) expect_row(map, s, s, t);
  }
  EXPECT_EQ(of_encoder + maps.size(), trace.maps.size());
}

INSTANTIATE_TEST_SUITE_P(Kinds, Engine, ::testing::ValuesIn(engine_kinds()),
                         [](const auto& info) { return info.param.name; });

// Beyond the 256 positions that are kept, and the 256 steps that distances are made for at first.
TEST(Engines, LongSentencesAndTranslationsAreThoseOfTheModel) {
  const at::NoGradGuard no_gradients;
  for (const auto& [positions, length] :
       {std::pair<const char*, int64_t>{"sinusoidal", 1030}, {"rotary", 1030}, {"alibi", 400}}) {
    SCOPED_TRACE(positions);
    model::ModelConfig config = model::testing::small_transformer();
    config.positions = positions;
    const ModelPtr model = model::testing::model_of(config, kVocabularyPieces);
    model->eval();
    const Source source{.tokens = at::randint(4, kVocabularyPieces, {1, length}, at::kLong),
                        .lengths = at::full({1}, length, at::kLong),
                        .valid = at::ones({1, length}, at::kBool)};
    const Tensor target = at::randint(4, kVocabularyPieces, {1, length}, at::kLong);
    const int64_t first = length - 10;  // to be compared
    const Tensor wanted = model->logits(model->features(source, target).narrow(1, first, 10));
    const double tolerance = 1e-3 * std::max(1.0, wanted.abs().max().item<double>());
    const auto engine = network_of(*model, WeightFormat::fp32);
    const auto decoder = engine->start(source_batch(source), libtorch_threads());
    for (int64_t t = 0; t < length; ++t) {
      const Tensor token = target.narrow(1, t, 1).contiguous();
      const Tensor got = step(*decoder, token);  // [1, 1, vocab]
      if (t < first) continue;
      EXPECT_LT((got[0][0] - wanted[0][t - first]).abs().max().item<double>(), tolerance) << t;
    }
  }
}

TEST(Engines, LeaveOtherModelsAlone) {
  const ModelPtr plain =
      model::testing::model_of(model::testing::small_transformer(), kVocabularyPieces);
  EXPECT_TRUE(network_of(*plain, WeightFormat::fp32));
  EXPECT_EQ(network_of(WithoutEngine(plain), WeightFormat::fp32), nullptr);
  const ModelPtr half = model::testing::model_of(engine_kinds()[0].config, kVocabularyPieces);
  half->to(at::kBFloat16);
  EXPECT_EQ(network_of(*half, WeightFormat::fp32), nullptr);
}

}  // namespace
}  // namespace heed::decode
