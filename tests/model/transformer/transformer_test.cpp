#include "model/transformer/transformer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "model/device.h"
#include "model/model.h"
#include "model/reorder_beams.h"

namespace heed::model {
namespace {

constexpr int64_t kVocabulary = 11;
using Texts = std::vector<std::vector<int64_t>>;

Source source_with(const Texts& sentences, int64_t pad = 0, int64_t more_padding = 0) {
  int64_t longest = more_padding;
  for (const auto& sentence : sentences)
    longest = std::max(longest, static_cast<int64_t>(sentence.size()) + more_padding);
  const auto batch = static_cast<int64_t>(sentences.size());
  Source source{.tokens = at::full({batch, longest}, pad, at::kLong),
                .lengths = at::zeros({batch}, at::kLong),
                .valid = at::zeros({batch, longest}, at::kBool)};
  for (int64_t row = 0; row < batch; ++row) {
    const auto length = static_cast<int64_t>(sentences[row].size());
    source.tokens[row].narrow(0, 0, length).copy_(at::tensor(sentences[row]));
    source.lengths[row] = length;
    source.valid[row].narrow(0, 0, length).fill_(true);
  }
  return source;
}

const Texts kSources{{5, 7, 9, 4, 8, 3}, {6, 3}, {4, 10, 5, 3}};
const Texts kTargets{{2, 6, 5, 9, 7}, {2, 8, 8, 4, 6}, {2, 10, 4, 5, 5}};

Tensor targets() {
  return source_with(kTargets).tokens;
}  // [3, 5]

ModelConfig small() {
  ModelConfig config;
  config.width = 12;
  config.feed_forward = 10;
  config.heads = 3;
  config.encoder_layers = config.decoder_layers = 2;
  config.max_positions = 20;
  config.dropout = 0;
  return config;
}

ModelPtr make(const ModelConfig& config) {
  at::manual_seed(7);
  ModelPtr model = make_transformer(config, {kVocabulary, kVocabulary});
  const at::NoGradGuard no_grad;
  for (auto& tensor : model->parameters())  // so that biases and norms matter, too
    tensor.add_(at::randn_like(tensor), 0.1);
  model->eval();
  return model;
}

bool near(const Tensor& a, const Tensor& b, double tolerance = 1e-5) {
  return a.sizes() == b.sizes() && at::allclose(a, b, 0, tolerance);
}

class Variants : public ::testing::TestWithParam<ModelConfig> {
 protected:
  void SetUp() override { model = make(GetParam()); }
  Tensor logits(const Source& source, const Tensor& target) {
    return model->logits(model->features(source, target));
  }
  const at::NoGradGuard no_grad;
  ModelPtr model;
};

TEST_P(Variants, CachedStepsEqualTeacherForcing) {
  const Source source = source_with(kSources);
  const Tensor whole = logits(source, targets());
  State state = model->start(source);
  for (int64_t t = 0; t < whole.size(1); ++t) {
    const Tensor now = model->step(targets().narrow(1, t, 1), state);  // [3, 1, vocab]
    EXPECT_TRUE(near(now, whole.narrow(1, t, 1))) << "step " << t;
  }
  EXPECT_EQ(state.position, whole.size(1));
}

TEST_P(Variants, StepsBeyondTheFirstChunkOfTheCacheEqualTeacherForcing) {
  const Source source = source_with({{5, 6, 3}});
  const Tensor target = at::arange(19).remainder(kVocabulary).unsqueeze(0);
  const Tensor whole = logits(source, target);
  State state = model->start(source);
  Tensor last;
  for (int64_t t = 0; t < 19; ++t) last = model->step(target.narrow(1, t, 1), state);
  EXPECT_TRUE(near(last, whole.narrow(1, 18, 1)));
}

TEST_P(Variants, PaddingAndItsContentChangeNothing) {
  const Tensor plain = logits(source_with(kSources), targets());
  EXPECT_TRUE(near(logits(source_with(kSources, /*pad=*/9, /*more_padding=*/5), targets()), plain));
  EXPECT_TRUE(at::isfinite(plain).all().item<bool>());
}

TEST_P(Variants, ABatchEqualsItsSentencesOneByOne) {
  const Tensor together = logits(source_with(kSources), targets());
  for (int64_t row = 0; row < 3; ++row) {
    const Tensor alone = logits(source_with({kSources[row]}), targets().narrow(0, row, 1));
    EXPECT_TRUE(near(alone[0], together[row])) << row;
  }
}

TEST_P(Variants, TheFutureDoesNotChangeThePast) {
  const Source source = source_with(kSources);
  const Tensor before = logits(source, targets());
  Tensor other = targets().clone();
  other.narrow(1, 3, 2).fill_(1);
  const Tensor after = logits(source, other);
  EXPECT_TRUE(near(after.narrow(1, 0, 3), before.narrow(1, 0, 3), 1e-6));
  EXPECT_FALSE(near(after.narrow(1, 3, 1), before.narrow(1, 3, 1), 1e-3));
}

TEST_P(Variants, ReorderedBeamsGoOnAsTheirPrefixesSay) {
  const Source source = source_with({kSources[0], kSources[1]});
  State state = model->start(source);
  model->step(at::tensor({2, 2}).view({2, 1}), state);
  reorder_beams(state, at::zeros({2, 3}, at::kLong));  // beam 1 -> 3
  model->step(at::tensor({4, 5, 6, 7, 8, 9}).view({2, 3}), state);
  reorder_beams(state, at::tensor({2, 0, 2, 1, 1, 0}).view({2, 3}));
  reorder(state, at::tensor({1}), {});
  const Tensor now = model->step(at::tensor({3, 4, 10}).view({1, 3}), state);  // [1, 3, vocab]
  const Texts prefixes{{2, 8, 3}, {2, 8, 4}, {2, 7, 10}};
  for (int64_t beam = 0; beam < 3; ++beam) {
    const Tensor whole = logits(source_with({kSources[1]}), source_with({prefixes[beam]}).tokens);
    EXPECT_TRUE(near(now[0][beam], whole[0][2])) << beam;
  }
}

TEST_P(Variants, LookingChangesNothing) {
  const auto shares = [](AttentionKind kind) {  // its rows sum to 1
    return kind == AttentionKind::cross || GetParam().positions != "rotary" ||
           GetParam().self_attention != "linear";
  };
  const Source source = source_with(kSources);
  Trace trace{.kinds = {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}};
  const Tensor looked = model->features(source, targets(), &trace);
  EXPECT_TRUE(near(looked, model->features(source, targets())));
  ASSERT_EQ(trace.maps.size(), 6U);
  for (const auto& map : trace.maps) {
    const int64_t queries = map.kind == AttentionKind::encoder ? 6 : 5;
    const int64_t keys = map.kind == AttentionKind::decoder ? 5 : 6;
    EXPECT_EQ(map.weights.sizes(), at::IntArrayRef({3, 3, queries, keys}));
    EXPECT_EQ(map.weights.scalar_type(), at::kFloat);
    EXPECT_TRUE(!shares(map.kind) || near(map.weights.sum(-1), at::ones({3, 3, queries})));
    if (map.kind == AttentionKind::decoder) {
      EXPECT_EQ(map.weights.triu(1).abs().max().item<float>(), 0.0F);
    } else {  // the second source has two pieces
      EXPECT_EQ(map.weights[1].narrow(1, 0, 2).narrow(2, 2, 4).abs().max().item<float>(), 0.0F);
    }
  }
}

/// Linear and sparse attention take turns with norms and shared heads.
std::vector<ModelConfig> variants() {
  std::vector<ModelConfig> all;
  for (const Norm norm : {Norm::pre, Norm::post})
    for (const PositionsKindInfo& positions : positions_kinds())
      for (const int64_t kv_heads : {0, 1}) {
        ModelConfig config = small();
        config.norm = norm;
        config.embedding_norm = kv_heads == 0;
        config.positions = positions.name;
        config.kv_heads = kv_heads;
        all.push_back(config);
        config.sliding_window = 2;
        all.push_back(config);
        if ((norm == Norm::pre) == (kv_heads == 0)) {
          config.self_attention = "sparse";
          config.sliding_window = config.global_tokens = 1;
          config.attention_stride = 3;
        } else {
          config.self_attention = "linear";
          config.sliding_window = 0;
          if (positions.effect == PositionsEffect::kAddsScores) continue;
        }
        all.push_back(config);
      }
  return all;
}

std::string name_of_variant(const ::testing::TestParamInfo<ModelConfig>& info) {
  const ModelConfig& config = info.param;
  const bool plain = config.self_attention == "softmax";
  return config::name_of(config.norm) + "_" + config.positions +
         (config.kv_heads > 0 ? "_shared" : "") +
         (!plain                      ? "_" + config.self_attention
          : config.sliding_window > 0 ? "_window"
                                      : "");
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Variants, ::testing::ValuesIn(variants()), name_of_variant);

TEST(Transformer, StepwiseWeightsEqualThoseOfTeacherForcing) {
  const at::NoGradGuard no_grad;
  const ModelPtr model = make(small());
  const Source source = source_with(kSources);
  Trace whole{.kinds = {AttentionKind::decoder, AttentionKind::cross}};
  model->features(source, targets(), &whole);
  State state = model->start(source);
  for (int64_t t = 0; t < 5; ++t) {
    Trace now{.kinds = {AttentionKind::decoder, AttentionKind::cross}};
    model->step(targets().narrow(1, t, 1), state, &now);
    ASSERT_EQ(now.maps.size(), 4U);
    for (std::size_t i = 0; i < now.maps.size(); ++i) {
      EXPECT_EQ(now.maps[i].kind, whole.maps[i].kind);
      EXPECT_EQ(now.maps[i].layer, whole.maps[i].layer);
      const Tensor row = whole.maps[i].weights.narrow(2, t, 1);
      EXPECT_TRUE(near(now.maps[i].weights, row.narrow(3, 0, now.maps[i].weights.size(3))));
    }
  }
}

TEST(Transformer, OnlyTheWeightsAskedForAreMade) {
  const at::NoGradGuard no_grad;
  const ModelPtr model = make(small());
  Trace trace;  // cross alone
  model->features(source_with(kSources), targets(), &trace);
  ASSERT_EQ(trace.maps.size(), 2U);
  EXPECT_EQ(trace.maps[1].kind, AttentionKind::cross);
  EXPECT_EQ(trace.maps[1].layer, 1);
  Trace encoder{.kinds = {AttentionKind::encoder}};
  model->start(source_with(kSources), &encoder);
  EXPECT_EQ(encoder.maps.size(), 2U);
}

TEST(Transformer, AWindowHidesWhatIsFar) {
  const at::NoGradGuard no_grad;
  ModelConfig config = small();
  config.sliding_window = 1;
  Trace trace{.kinds = {AttentionKind::encoder}};
  make(config)->start(source_with({kSources[0]}), &trace);
  const Tensor weights = trace.maps[0].weights[0][0];  // [6, 6]
  EXPECT_EQ(weights.triu(2).abs().max().item<float>(), 0.0F);
  EXPECT_EQ(weights.tril(-2).abs().max().item<float>(), 0.0F);
  EXPECT_GT(weights[0][1].item<float>(), 0.0F);
}

TEST(Transformer, ACopyOfAStateGoesItsOwnWay) {
  const at::NoGradGuard no_grad;
  const ModelPtr model = make(small());
  State state = model->start(source_with(kSources));
  model->step(targets().narrow(1, 0, 1), state);
  State copy = state;
  State untouched = model->start(source_with(kSources));
  model->step(targets().narrow(1, 0, 1), untouched);
  model->step(at::full({3, 1}, 9, at::kLong), copy);
  for (int64_t t = 1; t < 3; ++t) {
    const Tensor token = targets().narrow(1, t, 1);
    if (t == 2) model->step(at::full({3, 1}, 3, at::kLong), copy);
    EXPECT_TRUE(at::equal(model->step(token, state), model->step(token, untouched))) << t;
  }
}

TEST(Transformer, TheOrderOfWordsMatters) {
  const at::NoGradGuard no_grad;
  for (const std::string& kind : position_names()) {
    ModelConfig config = small();
    config.positions = kind;
    const ModelPtr model = make(config);
    const Tensor forward = model->features(source_with({{5, 7, 9, 3}}), targets().narrow(0, 0, 1));
    const Tensor swapped = model->features(source_with({{7, 5, 9, 3}}), targets().narrow(0, 0, 1));
    EXPECT_EQ(near(forward, swapped, 1e-3), kind == "none") << kind;
  }
}

TEST(Transformer, UnscaledScoresAreAnotherModel) {
  const at::NoGradGuard no_grad;
  ModelConfig config = small();
  const Tensor scaled = make(config)->features(source_with(kSources), targets());
  config.attention_scale = AttentionScale::none;
  EXPECT_FALSE(near(make(config)->features(source_with(kSources), targets()), scaled, 1e-3));
}

// Blocks that add nothing, and a vector of piece 4 that the root of the width makes (4, 0, 0, 0):
// mean 1, variance 3. The norm of embeddings gives (3, -1, -1, -1) / sqrt(3.001), its weights
// (3, -2, -3, -4) / sqrt(3.001), with a mean of -1.5 and a variance of 7.25 / 3.001; the last norm
// (4.5, -0.5, -1.5, -2.5) / sqrt(7.25 + 0.001 * 3.001). (The encoder's:
// engine/embedding_norm_test.)
TEST(Transformer, NormOfEmbeddingsByHand) {
  const at::NoGradGuard no_grad;
  ModelConfig config = small();
  config.width = 4;
  config.heads = 1;
  config.positions = "none";
  config.norm_epsilon = 1e-3;
  config.embedding_norm = true;
  const ModelPtr model = make_transformer(config, {kVocabulary, kVocabulary});
  for (auto& item : model->named_parameters()) {
    const bool scale = item.key().ends_with("norm.weight");
    item.value().fill_(scale ? 1 : 0);
  }
  auto parameters = model->named_parameters();
  parameters["target_embedding.weight"][4][0] = 2;
  parameters["decoder.embedding_norm.weight"].copy_(at::tensor({1., 2., 3., 4.}));
  parameters["output.weight"].narrow(0, 0, 4).copy_(at::eye(4));
  const Tensor expected =
      at::tensor({4.5, -0.5, -1.5, -2.5}, at::kFloat) / std::sqrt(7.25 + 0.001 * 3.001);
  const Source source = source_with({{4, 3}});
  const Tensor input = at::full({1, 1}, 4, at::kLong);
  EXPECT_TRUE(near(model->features(source, input)[0][0], expected, 1e-6));
  State state = model->start(source);
  EXPECT_TRUE(near(model->step(input, state)[0][0].narrow(0, 0, 4), expected, 1e-6));
}

TEST(Transformer, EmbeddingNormHasAModuleOnEachSide) {
  ModelConfig config = small();
  const auto named = [&] { return make(config)->named_parameters(); };
  EXPECT_EQ(named().find("encoder.embedding_norm.weight"), nullptr);
  config.embedding_norm = true;
  const auto parameters = named();
  for (const bool decoder : {false, true})
    for (const char* part : {"weight", "bias"})
      EXPECT_EQ(parameters[names::within(names::embedding_norm(decoder), part)].sizes(),
                at::IntArrayRef({12}));
}

TEST(Transformer, OnlyLearnedPositionsEnd) {
  ModelConfig config = small();
  EXPECT_EQ(make(config)->longest(), std::numeric_limits<int64_t>::max());
  config.positions = "learned";
  const ModelPtr model = make(config);
  EXPECT_EQ(model->longest(), 20);
  EXPECT_THROW(
      model->features(source_with({std::vector<int64_t>(21, 4)}), targets().narrow(0, 0, 1)),
      UserError);
  EXPECT_TRUE(model->attends());
}

TEST(Transformer, TyingAllNeedsOneVocabulary) {
  ModelConfig config = small();
  config.tie = Tie::all;
  EXPECT_THROW(make_transformer(config, {7, 8}), UserError);
}

TEST(Transformer, DropoutOfEachKindActsInTrainingAlone) {
  const at::NoGradGuard no_grad;
  for (const auto share : {&ModelConfig::dropout, &ModelConfig::attention_dropout,
                           &ModelConfig::activation_dropout, &ModelConfig::word_dropout}) {
    ModelConfig config = small();
    config.*share = 0.3;
    const ModelPtr model = make(config);
    const auto run = [&] { return model->features(source_with(kSources), targets()); };
    EXPECT_TRUE(at::equal(run(), run()));
    model->train();
    EXPECT_FALSE(at::equal(run(), run()));
  }
}

TEST(Transformer, Bf16StaysNear) {
  const at::NoGradGuard no_grad;
  const ModelPtr model = make(small());
  const Tensor exact = model->features(source_with(kSources), targets());
  const Autocast autocast(at::kCPU, at::kBFloat16);
  const Tensor rough = model->features(source_with(kSources), targets());
  EXPECT_TRUE(near(rough.to(at::kFloat), exact, 0.1));
  State state = model->start(source_with(kSources));
  const Tensor first = model->step(targets().narrow(1, 0, 1), state).to(at::kFloat);
  EXPECT_TRUE(near(first, model->logits(exact.narrow(1, 0, 1)).to(at::kFloat), 0.15));
}

// Traced, the model keeps the padding and computes attention step by step; else it unpads.
TEST_P(Variants, PackedSentencesGiveWhatPaddedOnesGive) {
  const Source source = source_with(kSources);
  const Tensor target = source_with({{2, 6, 5}, {2, 8, 8, 4, 6}, {2}}).tokens;
  const Tensor real = target.ne(0).unsqueeze(-1);
  const at::AutoGradMode gradients(true);
  const auto run = [&](Trace* trace) {
    model->zero_grad();
    const Tensor features = model->features(source, target, trace);
    at::manual_seed(9);
    (features * at::randn(features.sizes()) * real).sum().backward();
    std::vector<Tensor> results{(features * real).detach()};
    for (const Tensor& parameter : model->parameters()) {
      const Tensor gradient = parameter.grad();
      if (gradient.defined()) results.push_back(gradient.clone());
    }
    return results;
  };
  Trace trace{.kinds = {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}};
  const auto unpadded = run(nullptr), padded = run(&trace);
  ASSERT_EQ(unpadded.size(), padded.size());
  for (std::size_t i = 0; i < unpadded.size(); ++i) {
    const double size = 1 + padded[i].abs().max().item<double>();
    EXPECT_TRUE(near(unpadded[i], padded[i], 2e-5 * size)) << i;
  }
}

TEST(Transformer, OneBatchIsLearnedByHeart) {
  const Tensor wanted = source_with({{6, 5, 9, 7, 3}, {8, 8, 4, 6, 3}, {10, 4, 5, 5, 3}}).tokens;
  for (const Norm norm : {Norm::pre, Norm::post}) {
    ModelConfig config = small();
    config.norm = norm;
    config.tie = Tie::all;
    at::manual_seed(3);
    const ModelPtr model = make_transformer(config, {kVocabulary, kVocabulary});
    torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(1e-2));
    double loss = 0;
    for (int update = 0; update < 80; ++update) {
      const Tensor scores = model->logits(model->features(source_with(kSources), targets()));
      const Tensor value = at::cross_entropy_loss(scores.flatten(0, 1), wanted.flatten());
      adam.zero_grad();
      value.backward();
      adam.step();
      loss = value.item<double>();
    }
    EXPECT_LT(loss, 0.05);
  }
}

TEST(Transformer, TheFirstLossIsThatOfGuessing) {
  at::manual_seed(1);
  ModelConfig config = small();
  config.width = 48;
  const at::NoGradGuard no_grad;
  const ModelPtr model = make_transformer(config, {1000, 1000});
  const Tensor scores = model->logits(model->features(source_with(kSources), targets()));
  const double loss =
      at::cross_entropy_loss(scores.flatten(0, 1), targets().flatten()).item<double>();
  EXPECT_NEAR(loss, std::log(1000.0) + 0.5, 0.7);  // logits of variance 1 add a half
}

}  // namespace
}  // namespace heed::model
