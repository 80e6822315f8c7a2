// All numbers of a decoding step: scores, weights and contexts follow from the others.
#include "inspect/decoding_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "decode/random_models.h"
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
