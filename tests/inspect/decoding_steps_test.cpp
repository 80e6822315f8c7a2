// All numbers of a decoding step: scores, weights and contexts follow from the others.
#include "inspect/decoding_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "decode/random_models.h"
#include "decode/search/decoding_steps.h"
#include "message.h"
#include "model/description/traits.h"

namespace heed::inspect {
namespace {

using study::DecodingSteps;
using study::NumberRows;
using study::WorkedHead;

const std::vector<std::string> kLines{"mira tolo sena", "kupo"}, kTranslations{"rel", "vadi kupo"};

std::vector<DecodingSteps> steps_of(const model::ModelConfig& config,
                                    const AttentionRequest& request) {
  auto translator = decode::make_translator(decode::random_model(config));
  return decoding_steps(translator, config, kLines, kTranslations, request);
}

/// Number `last` of row [step, position] or, where the rows are the same at every step, of row
/// [position].
float number_in(const NumberRows& numbers, int64_t step, int64_t position, int64_t last) {
  const auto& shape = numbers.shape;
  const int64_t row = shape.size() == 3 ? step * shape[1] + position : position;
  return numbers.values[row * shape.back() + last];
}

/// The score from query and key, and the context from weights and values.
void expect_worked(const WorkedHead& head) {
  const auto& numbers = head.numbers;
  const NumberRows &query = numbers.at("query"), &scores = numbers.at("scores"),
                   &weights = numbers.at("weights"), &values = numbers.at("values");
  for (int64_t step = 0; step < scores.shape[0]; ++step) {
    for (int64_t key = 0; key < scores.shape[1]; ++key) {
      const float score = number_in(scores, 0, step, key);
      if (std::isinf(score)) {
        EXPECT_EQ(number_in(weights, 0, step, key), 0);
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
    for (int64_t i = 0; i < values.shape[1]; ++i) {
      double sum = 0;
      for (int64_t key = 0; key < values.shape[0]; ++key)
        sum += number_in(weights, 0, step, key) * number_in(values, 0, key, i);
      EXPECT_NEAR(number_in(numbers.at("context"), 0, step, i), sum, 1e-4);
    }
  }
}

TEST(DecodingSteps, FollowFromQueriesKeysAndValues) {
  for (const model::ModelConfig& config : decode::many_models()) {
    const model::Traits traits = model::traits(config);
    SCOPED_TRACE(model::describe_model(config));
    const auto sentences = steps_of(config, {.kinds = traits.kinds});
    ASSERT_EQ(sentences.size(), 2U);
    for (const DecodingSteps& one : sentences) {
      EXPECT_EQ(one.likely.size(), one.target.size());
      EXPECT_EQ(one.chosen.size(), one.target.size());
      std::size_t heads = 0;
      for (const AttentionKind kind : traits.kinds)
        for (const int64_t count : traits.heads_left.at(kind)) heads += count;
      EXPECT_EQ(one.heads.size(), std::max<std::size_t>(heads, 1));
      for (const WorkedHead& head : one.heads) {
        EXPECT_EQ(head.score == "none", !traits.attends());
        if (head.score != "none") expect_worked(head);
      }
    }
    EXPECT_EQ(sentences[1].sentence, 2);
  }
}

void expect_equal(const NumberRows& numbers, const NumberRows& wanted) {
  ASSERT_EQ(numbers.shape, wanted.shape);
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    if (std::isinf(wanted.values[i]))
      EXPECT_EQ(numbers.values[i], wanted.values[i]);
    else
      EXPECT_NEAR(numbers.values[i], wanted.values[i],
                  1e-4 * std::max(1.0F, std::abs(wanted.values[i])));
  }
}

void expect_equal(const WorkedHead& head, const WorkedHead& wanted) {
  EXPECT_EQ(head.kind, wanted.kind);
  EXPECT_EQ(head.layer, wanted.layer);
  EXPECT_EQ(head.head, wanted.head);
  EXPECT_EQ(head.score, wanted.score);
  EXPECT_FLOAT_EQ(static_cast<float>(head.factor), static_cast<float>(wanted.factor));
  EXPECT_EQ(head.adds, wanted.adds);
  EXPECT_EQ(head.normaliser, wanted.normaliser);
  EXPECT_EQ(head.numbers.size(), wanted.numbers.size());
  for (const auto& [name, numbers] : wanted.numbers) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(head.numbers.contains(name));
    if (name != "gauss") {
      expect_equal(head.numbers.at(name), numbers);
      continue;
    }
    NumberRows seen = numbers;  // an engine computes it where it looks
    for (std::size_t i = 0; i < seen.values.size(); ++i)
      if (std::isinf(wanted.numbers.at("scores").values[i])) seen.values[i] = 0;
    expect_equal(head.numbers.at(name), seen);
  }
}

TEST(DecodingSteps, OfAnEngineAreThoseOfLibTorch) {
  for (const model::ModelConfig& config : decode::many_models()) {
    if (!model::traits(config).attends() || !engine::has_network(config)) continue;
    SCOPED_TRACE(model::describe_model(config));
    const auto wanted = steps_of(config, {.kinds = model::traits(config).kinds});
    auto translator = decode::make_translator(decode::random_model(config));
    const auto readings = readings_of(translator, kLines, kTranslations, 1);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const DecodingSteps steps = decode::decoding_steps(translator, config, readings[i]);
      EXPECT_EQ(steps.attention, wanted[i].attention);
      EXPECT_EQ(steps.source, wanted[i].source);
      EXPECT_EQ(steps.target, wanted[i].target);
      ASSERT_EQ(steps.likely.size(), wanted[i].likely.size());
      for (std::size_t t = 0; t < steps.likely.size(); ++t) {
        EXPECT_NEAR(steps.chosen[t], wanted[i].chosen[t], 1e-5);
        ASSERT_EQ(steps.likely[t].size(), wanted[i].likely[t].size());
        EXPECT_EQ(steps.likely[t][0].piece, wanted[i].likely[t][0].piece);
        EXPECT_NEAR(steps.likely[t][0].probability, wanted[i].likely[t][0].probability, 1e-5);
      }
      ASSERT_EQ(steps.heads.size(), wanted[i].heads.size());
      for (std::size_t h = 0; h < steps.heads.size(); ++h)
        expect_equal(steps.heads[h], wanted[i].heads[h]);
    }
  }
}

TEST(DecodingSteps, AreOfTheLayersAndHeadsThatWereAskedFor) {
  const auto config = decode::small_models()[0];
  const auto one = steps_of(
      config, {.kinds = {AttentionKind::decoder}, .layers = {kLastLayer}, .heads = {2, 0}});
  ASSERT_EQ(one[0].heads.size(), 2U);
  EXPECT_EQ(one[0].heads[0].head, 0);
  EXPECT_EQ(one[0].heads[1].head, 2);
  EXPECT_EQ(one[0].heads[1].layer, 1);
  EXPECT_EQ(one[0].heads[1].kind, AttentionKind::decoder);
  EXPECT_THROW(steps_of(config, {.heads = {3}}), UserError);
  EXPECT_THROW(steps_of(decode::small_models()[1], {.kinds = {AttentionKind::encoder}}), UserError);
}

}  // namespace
}  // namespace heed::inspect
