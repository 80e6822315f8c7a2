// All numbers of a decoding step: scores, weights and contexts follow from the others, and weights
// and outputs are those of LibTorch's models.
#include "decode/search/decoding_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "data/batch.h"
#include "decode/random_models.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "kernels/rows/normalisers.h"
#include "message.h"
#include "model/description/traits.h"
#include "model/model.h"
#include "study/attention_matrix.h"

namespace heed::decode {
namespace {

using study::AttentionMatrix;
using study::DecodingSteps;
using study::NumberRows;
using study::WorkedHead;
using ::testing::HasSubstr;

using Lines = std::vector<std::string>;

const Lines kLines{"mira tolo sena", "kupo"}, kTranslations{"rel", "vadi kupo"};

std::vector<DecodingSteps> steps_of(const model::ModelPtr& model, const model::ModelConfig& config,
                                    const AttentionRequest& request, const Lines& lines = kLines,
                                    const std::optional<Lines>& translations = kTranslations) {
  const auto network = network_of(*model, engine::WeightFormat::fp32);
  return decoding_steps(make_translator(model), network.get(), config, lines, translations,
                        request);
}

std::vector<DecodingSteps> steps_of(const model::ModelConfig& config,
                                    const AttentionRequest& request) {
  return steps_of(random_model(config), config, request);
}

/// Returns many_models(), and models whose steps do not see all keys, or see others than their own.
std::vector<model::ModelConfig> models_with_steps() {
  std::vector<model::ModelConfig> out = many_models();
  const auto add = [&](std::size_t like, const auto& change) {
    change(out.emplace_back(out[like]));
  };
  add(0, [](model::ModelConfig& config) {
    config.kv_heads = 1;
    config.positions = "alibi";
    config.attention_normaliser = "sparsemax";
  });
  add(0, [](model::ModelConfig& config) {
    config.positions = "rotary";
    config.sliding_window = 1;
    config.pruned_heads = {"encoder.0.1", "decoder.0.0", "cross.1.1"};
  });
  add(0, [](model::ModelConfig& config) { config.self_attention = "linear"; });
  add(1, [](model::ModelConfig& config) {
    config.attention = "luong_location";
    config.max_positions = 5;  // the last pieces of a source have no key
  });
  add(1, [](model::ModelConfig& config) {
    config.attention = "luong_concat";
    config.coverage = model::Coverage::linguistic;
    config.window = model::Window::local_p;
    config.window_size = 1;
    config.attention_heads = 2;
  });
  return out;
}

/// Number `last` of row [step, position] or, where the rows are the same at every step, of row
/// [position].
float number_in(const NumberRows& numbers, int64_t step, int64_t position, int64_t last) {
  const auto& shape = numbers.shape;
  const int64_t row = shape.size() == 3 ? step * shape[1] + position : position;
  return numbers.values[row * shape.back() + last];
}

/// The scores that a step sees follow from query and key; the others are -inf, and their weights 0.
void expect_scores(const WorkedHead& head, int64_t step) {
  const auto& numbers = head.numbers;
  const NumberRows &query = numbers.at("query"), &scores = numbers.at("scores");
  for (int64_t key = 0; key < scores.shape[1]; ++key) {
    const float score = number_in(scores, 0, step, key);
    if (std::isinf(score)) {
      EXPECT_EQ(number_in(numbers.at("weights"), 0, step, key), 0);
    }
    double sum = 0;
    for (int64_t i = 0; i < query.shape[1]; ++i) {
      const double q = number_in(query, 0, step, i),
                   k = number_in(numbers.at("keys"), step, key, i);
      sum += head.score == "additive" ? numbers.at("vector").values[i] * std::tanh(q + k)
                                      : head.factor * q * k;
    }
    if (!head.adds && !std::isinf(score)) {
      EXPECT_NEAR(score, sum, 1e-4 * std::max(1.0, std::abs(sum)));
    }
  }
}

/// The weights follow from the scores by the normaliser that the head names.
void expect_weights(const WorkedHead& head, int64_t step) {
  const NumberRows &scores = head.numbers.at("scores"), &weights = head.numbers.at("weights");
  std::vector<int64_t> seen;
  std::vector<float> shares;
  for (int64_t key = 0; key < scores.shape[1]; ++key)
    if (const float score = number_in(scores, 0, step, key); !std::isinf(score)) {
      seen.push_back(key);
      shares.push_back(score);
    }
  ASSERT_FALSE(seen.empty());
  if (head.normaliser.empty()) return;  // they do not follow from a row
  if (head.normaliser == "sum") {
    float sum = 0;
    for (const float share : shares) sum += share;
    for (float& share : shares) share /= sum;
  } else {
    kernels::row_normaliser(head.normaliser)(shares.data(), std::ssize(shares));
  }
  const auto gauss = head.numbers.find("gauss");
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const float share =
        gauss == head.numbers.end() ? 1 : number_in(gauss->second, 0, step, seen[i]);
    EXPECT_NEAR(number_in(weights, 0, step, seen[i]), shares[i] * share, 1e-4);
  }
}

void expect_context(const WorkedHead& head, int64_t step) {
  const NumberRows& values = head.numbers.at("values");
  for (int64_t i = 0; i < values.shape[1]; ++i) {
    double sum = 0;
    for (int64_t key = 0; key < values.shape[0]; ++key)
      sum += number_in(head.numbers.at("weights"), 0, step, key) * number_in(values, 0, key, i);
    EXPECT_NEAR(number_in(head.numbers.at("context"), 0, step, i), sum, 1e-4);
  }
}

TEST(DecodingSteps, FollowFromQueriesKeysAndValues) {
  for (const model::ModelConfig& config : models_with_steps()) {
    const model::Traits traits = model::traits(config);
    SCOPED_TRACE(model::describe_model(config));
    const auto sentences = steps_of(config, {.kinds = traits.kinds});
    ASSERT_EQ(sentences.size(), 2U);
    for (const DecodingSteps& one : sentences) {
      EXPECT_EQ(one.attention, traits.name);
      EXPECT_EQ(one.likely.size(), one.target.size());
      EXPECT_EQ(one.chosen.size(), one.target.size());
      std::size_t heads = 0;
      for (const AttentionKind kind : traits.kinds)
        for (const int64_t count : traits.heads_left.at(kind)) heads += count;
      EXPECT_EQ(one.heads.size(), std::max<std::size_t>(heads, 1));
      for (const WorkedHead& head : one.heads) {
        EXPECT_EQ(head.score == "none", !traits.attends());
        if (head.score == "none") continue;
        const auto steps = static_cast<int64_t>(
            (head.kind == AttentionKind::encoder ? one.source : one.target).size());
        ASSERT_EQ(head.numbers.at("scores").shape[0], steps);
        for (int64_t step = 0; step < steps; ++step) {
          expect_scores(head, step);
          expect_weights(head, step);
          expect_context(head, step);
        }
      }
    }
    EXPECT_EQ(sentences[0].sentence, 1);
    EXPECT_EQ(sentences[1].sentence, 2);
  }
}

/// The weights of a row as a model reports them: after a Gaussian they are scaled to sum to 1.
std::vector<float> reported(const WorkedHead& head) {
  const NumberRows& weights = head.numbers.at("weights");
  std::vector<float> out = weights.values;
  if (!head.numbers.contains("gauss")) return out;
  const int64_t keys = weights.shape[1];
  for (int64_t step = 0; step < weights.shape[0]; ++step) {
    float sum = 0;
    for (int64_t key = 0; key < keys; ++key) sum += out[step * keys + key];
    for (int64_t key = 0; key < keys; ++key) out[step * keys + key] /= sum;
  }
  return out;
}

TEST(DecodingSteps, HaveTheWeightsOfLibTorch) {
  for (const model::ModelConfig& config : models_with_steps()) {
    const model::Traits traits = model::traits(config);
    if (!traits.attends()) continue;
    SCOPED_TRACE(model::describe_model(config));
    const model::ModelPtr model = random_model(config);
    const auto steps = steps_of(model, config, {.kinds = traits.kinds});
    const auto read =
        attention_maps(make_translator(model), kLines, kTranslations, {.kinds = traits.kinds});
    ASSERT_EQ(steps.size(), read.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].source, read[i].source_pieces);
      EXPECT_EQ(steps[i].target, read[i].target_pieces);
      ASSERT_EQ(steps[i].heads.size(), read[i].matrices.size());
      for (const WorkedHead& head : steps[i].heads) {
        const auto wanted = std::ranges::find_if(read[i].matrices, [&](const AttentionMatrix& one) {
          return std::tuple(one.kind, one.layer, one.head) ==
                 std::tuple(head.kind, head.layer, head.head);
        });
        ASSERT_NE(wanted, read[i].matrices.end());
        const std::vector<float> weights = reported(head);
        ASSERT_EQ(weights.size(), wanted->weights.size());
        for (std::size_t w = 0; w < weights.size(); ++w)
          EXPECT_NEAR(weights[w], wanted->weights[w], 2e-5);
      }
    }
  }
}

TEST(DecodingSteps, HaveTheOutputOfLibTorch) {
  for (const model::ModelConfig& config : models_with_steps()) {
    SCOPED_TRACE(model::describe_model(config));
    const model::ModelPtr model = random_model(config);
    const model::EvaluationMode mode({model.get()});
    const at::NoGradGuard no_gradients;
    const auto steps = steps_of(model, config, {.kinds = {}});
    const auto readings = readings_of(make_translator(model), kLines, kTranslations, 1);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const data::Batch batch = data::make_batch({&readings[i].example});
      const at::Tensor probabilities =
          at::softmax(model->logits(model->features(model::make_source(batch, at::kCPU),
                                                    model::make_target_input(batch, at::kCPU)))[0],
                      -1);
      const auto [most, pieces] = probabilities.topk(10);
      ASSERT_EQ(std::ssize(steps[i].likely), batch.target_length);
      for (int64_t step = 0; step < batch.target_length; ++step) {
        EXPECT_NEAR(steps[i].chosen[step],
                    probabilities[step][batch.target_output[step]].item<float>(), 1e-5);
        const auto& likely = steps[i].likely[step];
        ASSERT_EQ(likely.size(), 10U);
        EXPECT_EQ(likely[0].piece, vocabulary().piece(pieces[step][0].item<int32_t>()));
        for (int64_t rank = 0; rank < 10; ++rank)
          EXPECT_NEAR(likely[rank].probability, most[step][rank].item<float>(), 1e-5);
      }
    }
  }
}

// The Gaussian is exp(-2 ((i - p) / D)^2) everywhere, where a step does not look, too: its
// logarithm has the second difference -4 / D^2.
TEST(DecodingSteps, HaveTheGaussianOfTheWholeSource) {
  int64_t models = 0;
  for (const model::ModelConfig& config : models_with_steps()) {
    if (config.window != model::Window::local_p) continue;
    ++models;
    const double width = static_cast<double>(config.window_size);
    const auto sentences = steps_of(config, {});
    for (const WorkedHead& head : sentences[0].heads) {
      const NumberRows& gauss = head.numbers.at("gauss");
      ASSERT_GT(gauss.shape[1], 2);
      for (int64_t step = 0; step < gauss.shape[0]; ++step)
        for (int64_t i = 1; i + 1 < gauss.shape[1]; ++i) {
          const auto log_of = [&](int64_t key) {
            return std::log(double{number_in(gauss, 0, step, key)});
          };
          if (number_in(gauss, 0, step, i - 1) < 1e-30 || number_in(gauss, 0, step, i + 1) < 1e-30)
            continue;
          EXPECT_NEAR(log_of(i - 1) - 2 * log_of(i) + log_of(i + 1), -4 / (width * width), 1e-2);
        }
    }
  }
  EXPECT_EQ(models, 2);
}

TEST(DecodingSteps, HaveKeysOfEveryStepWhereCoverageChangesThem) {
  for (const model::ModelConfig& config : models_with_steps()) {
    if (config.type != model::ModelType::rnn || config.attention == "none") continue;
    SCOPED_TRACE(model::describe_model(config));
    for (const DecodingSteps& one : steps_of(config, {}))
      for (const WorkedHead& head : one.heads) {
        const int64_t keys = std::ssize(one.source), steps = std::ssize(one.target),
                      width = config.hidden_size / config.attention_heads;
        EXPECT_EQ(head.numbers.at("values").shape, (std::vector<int64_t>{keys, width}));
        EXPECT_EQ(head.numbers.at("keys").shape, config.coverage == model::Coverage::none
                                                     ? (std::vector<int64_t>{keys, width})
                                                     : (std::vector<int64_t>{steps, keys, width}));
      }
  }
}

TEST(DecodingSteps, OfAModelWithoutAttentionHaveOneVectorAndNoWeights) {
  const model::ModelConfig config = small_models()[2];
  for (const DecodingSteps& one : steps_of(config, {})) {
    ASSERT_EQ(one.heads.size(), 1U);
    const WorkedHead& head = one.heads[0];
    EXPECT_EQ(head.kind, AttentionKind::cross);
    EXPECT_EQ(head.score, "none");
    ASSERT_EQ(head.numbers.size(), 2U);
    EXPECT_EQ(head.numbers.at("query").shape,
              (std::vector<int64_t>{std::ssize(one.target), config.hidden_size}));
    EXPECT_EQ(head.numbers.at("values").shape, (std::vector<int64_t>{1, config.hidden_size}));
  }
}

TEST(DecodingSteps, AreOfTheLayersAndHeadsThatWereAskedFor) {
  const auto config = small_models()[0];
  const auto one = steps_of(
      config, {.kinds = {AttentionKind::decoder}, .layers = {kLastLayer}, .heads = {2, 0}});
  ASSERT_EQ(one[0].heads.size(), 2U);
  EXPECT_EQ(one[0].heads[0].head, 0);
  EXPECT_EQ(one[0].heads[1].head, 2);
  EXPECT_EQ(one[0].heads[1].layer, 1);
  EXPECT_EQ(one[0].heads[1].kind, AttentionKind::decoder);
  EXPECT_THROW(steps_of(config, {.heads = {3}}), UserError);
  EXPECT_THROW(steps_of(small_models()[1], {.kinds = {AttentionKind::encoder}}), UserError);
}

TEST(DecodingSteps, AreOfTheLinesThatHaveAWord) {
  const auto config = small_models()[3];
  const model::ModelPtr model = random_model(config);
  const auto own = steps_of(model, config, {}, {"", "mira tolo", " ", "kupo"}, std::nullopt);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].sentence, 2);
  EXPECT_EQ(own[1].sentence, 4);
  EXPECT_THAT(message_of<UserError>([&] { steps_of(model, config, {}, {" "}, std::nullopt); }),
              HasSubstr("no line has a word"));
}

TEST(DecodingSteps, AreRefusedInALineWhereThereIsNoEngine) {
  const auto config = small_models()[1];
  const model::ModelPtr model = without_engine(random_model(config));
  EXPECT_THAT(message_of<UserError>([&] { steps_of(model, config, {}); }),
              HasSubstr("attention: --step: its numbers are an engine's, and there is none"));
  EXPECT_EQ(attention_maps(make_translator(model), kLines, kTranslations, {}).size(), 2U);
}

}  // namespace
}  // namespace heed::decode
