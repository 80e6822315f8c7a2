// Every attention of the registry keeps the contract, and each score's numbers are those worked by
// hand.
#include "model/recurrent/attention/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "model/device.h"
#include "model/recurrent/attention/common.h"
#include "model/recurrent/attention_contract.h"

namespace heed::model {
namespace {

using testing::distance;

class EveryAttention : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryAttention, KeepsTheContractWithEveryNormaliser) {
  for (const kernels::Normaliser& normaliser : kernels::normalisers())
    EXPECT_THAT(testing::broken_promises(GetParam(), normaliser.normalise), ::testing::IsEmpty())
        << normaliser.name;
}

// What a mechanism has made for all steps is of the bias and of the keys that begin() saw.
TEST_P(EveryAttention, TakesAnotherBiasAndOtherKeysOfAStep) {
  const at::NoGradGuard guard;
  const AttentionPtr attention = attention_maker(GetParam())({4, 4, 4, {}});
  const Prepared memory = attention->begin(attention->prepare(
      make_encoded(at::randn({2, 3, 4}), at::ones({2, 3}, at::kBool), at::zeros({2, 4}))));
  const auto weights = [&](const Prepared& own) {
    return attention->forward({.query = at::ones({2, 5, 4})}, own).weights;
  };
  Prepared own = memory;
  own.bias = memory.bias.clone();
  own.bias.slice(2, 1).fill_(-INFINITY);
  if (!weights(own).defined()) return;
  EXPECT_EQ(weights(own).select(2, 0).min().item<float>(), 1);
  if (GetParam() == "luong_location") return;  // it reads no keys
  own = memory;
  own.keys = at::zeros({2, 3, 4});
  EXPECT_LT(distance(weights(own), at::full({2, 5, 3}, 1.0 / 3)), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryAttention, ::testing::ValuesIn(attention_names()),
                         [](const auto& info) { return info.param; });

// A GPU's encoder gives bf16 under autocast; the decoder's states are fp32.
TEST(AttentionMemory, IsFp32WhateverTheEncoderGives) {
  const Tensor values = at::randn({2, 3, 4});
  const auto memory_of = [&](at::ScalarType type) {
    return make_encoded(values.to(type), at::ones({2, 3}, at::kBool), at::zeros({2, 4}));
  };
  EXPECT_EQ(memory_of(at::kFloat).values.data_ptr(), values.data_ptr());
  EXPECT_EQ(memory_of(at::kBFloat16).values.scalar_type(), at::kFloat);
  EXPECT_EQ(memory_of(at::kDouble).values.scalar_type(), at::kDouble);
  const at::NoGradGuard guard;
  for (const std::string& name : attention_names()) {
    const AttentionPtr attention = attention_maker(name)({4, 4, 4, {}});
    const Prepared memory = attention->begin(attention->prepare(memory_of(at::kBFloat16)));
    const Attended attended =
        attention->forward({.query = at::randn({2, 3, 4}), .stride = 1}, memory);
    EXPECT_EQ(attended.context.scalar_type(), at::kFloat) << name;
    if (attended.weights.defined()) {
      EXPECT_EQ(attended.weights.scalar_type(), at::kFloat) << name;
    }
  }
}

// One sentence of two words, one query, states two wide.
Tensor weights_of(const std::string& name, const std::vector<std::pair<std::string, Tensor>>& set,
                  const Tensor& query, const Tensor& values) {
  const AttentionPtr attention = attention_maker(name)({2, 2, 2, {}});
  at::NoGradGuard guard;
  auto parameters = attention->named_parameters();
  EXPECT_EQ(parameters.size(), set.size());
  for (const auto& [key, value] : set) parameters[key].copy_(value);
  const Prepared memory = attention->begin(attention->prepare(make_encoded(
      values.unsqueeze(0), at::ones({1, values.size(0)}, at::kBool), at::zeros({1, 2}))));
  return attention->forward({.query = query.view({1, 1, 2}), .stride = 1}, memory)
      .weights.flatten();
}

// Written row by row, two columns.
Tensor matrix(const std::vector<float>& entries) {
  return at::tensor(entries).view({-1, 2});
}

const float kLog3 = std::log(3.0F);

TEST(AttentionNumbers, DotOfOneTwoWithTheseStatesIsZeroAndLogThree) {
  // (1,2).(0,0) = 0 and (1,2).(ln 3 - 2, 1) = ln 3: weights 1 : 3.
  const Tensor weights = weights_of("luong_dot", {}, matrix({1, 2}), matrix({0, 0, kLog3 - 2, 1}));
  EXPECT_LT(distance(weights, at::tensor({0.25F, 0.75F})), 1e-6);
}

TEST(AttentionNumbers, GeneralPutsWOnTheEncodersSide) {
  // W h = (a + 2b, b) for h = (a, b); (1,1).W h = a + 3b; with W transposed it would be 3a + b.
  const Tensor weights = weights_of("luong_general", {{"key", matrix({1, 2, 0, 1})}},
                                    matrix({1, 1}), matrix({0, 0, kLog3 - 3, 1}));
  EXPECT_LT(distance(weights, at::tensor({0.25F, 0.75F})), 1e-6);
}

// W s = (0.5, 0.5); U h = (-0.5, -0.5) and (0.5, 1.5); v = (2, 0.5):
// e = 2 tanh 0 + 0.5 tanh 0 = 0 and 2 tanh 1 + 0.5 tanh 2 = 2.005202; softmax: 0.118658, 0.881342.
TEST(AttentionNumbers, AdditiveScoresOfBahdanauAndConcat) {
  for (const char* name : {"bahdanau", "luong_concat"}) {
    const Tensor weights = weights_of(name,
                                      {{"query", matrix({1, 0, 0, 2})},
                                       {"key", matrix({0, 1, 1, 0})},
                                       {"score", at::tensor({2.0F, 0.5F})}},
                                      matrix({0.5F, 0.25F}), matrix({-0.5F, -0.5F, 1.5F, 0.5F}));
    EXPECT_LT(distance(weights, at::tensor({0.118658F, 0.881342F})), 2e-6) << name;
  }
}

// W = (0 0 / log 3 0 / 5 5) scores (0, log 3, 5) for s = (1, 0), whatever stands in the source: two
// words take the first two rows, 1 : 3. A fourth word comes after the last row.
TEST(AttentionNumbers, LocationGivesEachPositionItsRow) {
  const AttentionPtr attention =
      attention_maker("luong_location")({.query = 2, .memory = 2, .positions = 3});
  const at::NoGradGuard guard;
  attention->parameters()[0].copy_(matrix({0, 0, kLog3, 0, 5, 5}));
  const auto weights = [&](int64_t words) {
    const Prepared memory = attention->begin(attention->prepare(make_encoded(
        at::randn({1, words, 2}), at::ones({1, words}, at::kBool), at::zeros({1, 2}))));
    return attention->forward({.query = matrix({1, 0}).view({1, 1, 2}), .stride = 1}, memory)
        .weights.flatten();
  };
  EXPECT_LT(distance(weights(2), at::tensor({0.25F, 0.75F})), 1e-6);
  const float sum = 4 + std::exp(5.0F);
  EXPECT_LT(distance(weights(4), at::tensor({1 / sum, 3 / sum, 1 - 4 / sum, 0.0F})), 1e-6);
}

TEST(AttentionRegistry, StartsWithNoneAndNamesEachKindOnce) {
  const auto& names = attention_names();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "none");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(AttentionRegistry, AnUnknownNameIsTheUsersMistake) {
  try {
    attention_info("luong_dott");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("luong_dott"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("luong_dot'"), std::string::npos);
  }
}

TEST(AttentionRegistry, DotWithUnequalWidthsIsABug) {
  EXPECT_THROW(attention_maker("luong_dot")({3, 5, 7, {}}), Bug);
}

}  // namespace
}  // namespace heed::model
