// Coverage and heads around attentions: the contract, and numbers worked by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/recurrent/attention/common.h"
#include "model/recurrent/attention_contract.h"
#include "model/recurrent/support.h"

namespace heed::model {
namespace {

using testing::AttentionContract;
using testing::distance;

constexpr AttentionSize kTwo{.query = 2, .memory = 2, .hidden = 2};

/// A covered mechanism for any size; its keys are as wide as the states.
auto covered(const std::string& attention, Coverage form) {
  return [attention, form](AttentionSize size) {
    size.hidden = size.query;
    return make_covered(attention_maker(attention)(size), size, form, 2);
  };
}

class Around : public ::testing::TestWithParam<std::string> {};

TEST_P(Around, CoverageKeepsTheContract) {
  for (const Coverage form : {Coverage::linguistic, Coverage::neural})
    EXPECT_THAT(AttentionContract({covered(GetParam(), form)}).broken(), ::testing::IsEmpty())
        << config::name_of(form);
}

TEST_P(Around, HeadsKeepTheContract) {
  const auto heads = [](const auto& make, int64_t count) {
    return testing::Promised{
        .make = [make,
                 count](const AttentionSize& size) { return make_side_by_side(make, size, count); },
        .of_states = false};
  };
  const auto make = attention_maker(GetParam());
  EXPECT_THAT(AttentionContract(heads(make, 3)).broken(), ::testing::IsEmpty());
  EXPECT_THAT(AttentionContract(heads(make, 2), &kernels::sparsemax).broken(),
              ::testing::IsEmpty());
  EXPECT_THAT(AttentionContract(heads(covered(GetParam(), Coverage::neural), 2)).broken(),
              ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Attentions, Around,
                         ::testing::Values("bahdanau", "luong_dot", "luong_general"),
                         [](const auto& info) { return info.param; });

// Two words with the states (1, 0) and (0, 1).
Encoded two_words() {
  return make_encoded(at::eye(2, at::kDouble).unsqueeze(0), at::ones({1, 2}, at::kBool),
                      at::zeros({1, 2}, at::kDouble));
}

AttentionPtr covered_dot(Coverage form) {
  AttentionPtr attention = make_covered(attention_maker("luong_dot")(kTwo), kTwo, form, 2);
  attention->to(at::kDouble);
  const at::NoGradGuard guard;
  for (const auto& parameter : attention->parameters()) parameter.zero_();
  return attention;
}

// s = (ln 3, 0): without coverage the weights are 3/4 and 1/4. f(i) = 2 sigmoid(0) = 1, so that C
// is the sum of the weights. V = (-1, 0): the key of word i loses C(i) in its first dimension, and
// its score C(i) ln 3.
TEST(Coverage, OfTheLinguisticFormIsWhatWasLookedAtSoFar) {
  const AttentionPtr attention = covered_dot(Coverage::linguistic);
  const at::NoGradGuard guard;
  attention->named_parameters()["added"].copy_(at::tensor({-1.0, 0.0}).unsqueeze(1));
  const Prepared memory = attention->begin(attention->prepare(two_words()));
  const Tensor query = at::tensor({std::log(3.0), 0.0}, at::kDouble).view({1, 1, 2});

  const Attended first =
      attention->forward({.query = query, .coverage = attention->first_coverage(memory)}, memory);
  EXPECT_LT(distance(first.weights.flatten(), at::tensor({0.75, 0.25}, at::kDouble)), 1e-12);
  EXPECT_LT(distance(first.coverage.flatten(), at::tensor({0.75, 0.25}, at::kDouble)), 1e-12);

  // e = ln 3 (1 - 0.75), ln 3 (0 - 0.25): their difference is ln 3 / 2.
  const Attended second =
      attention->forward({.query = query, .position = 1, .coverage = first.coverage}, memory);
  const double share = std::sqrt(3.0) / (1 + std::sqrt(3.0));
  EXPECT_NEAR(second.weights.flatten()[0].item<double>(), share, 1e-12);
  EXPECT_NEAR(second.coverage.flatten()[0].item<double>(), 0.75 + share, 1e-12);
}

// u . h(1) = -88: the fertility is 1/1000, not 1e-38, whose inverse is no number in fp32.
TEST(Coverage, OfAWordOfWhichNothingIsExpectedIsANumber) {
  const AttentionPtr attention = covered_dot(Coverage::linguistic);
  const at::NoGradGuard guard;
  attention->to(at::kFloat);
  attention->named_parameters()["fertility"].copy_(at::tensor({-88.0, 0.0}));
  Encoded words = two_words();
  words.values = words.values.to(at::kFloat);
  words.bias = words.bias.to(at::kFloat);
  const Prepared memory = attention->begin(attention->prepare(words));
  const Attended attended = attention->forward(
      {.query = at::zeros({1, 1, 2}), .coverage = attention->first_coverage(memory)}, memory);
  EXPECT_LT(distance(attended.coverage.flatten(), at::tensor({500.0, 0.5})), 1e-3);
}

// f(1) = 2 sigmoid(ln 3) = 3/2: a word of which more is expected is less covered by the same look.
TEST(Coverage, IsDividedByTheFertility) {
  const AttentionPtr attention = covered_dot(Coverage::linguistic);
  const at::NoGradGuard guard;
  attention->named_parameters()["fertility"].copy_(at::tensor({std::log(3.0), 0.0}));
  const Prepared memory = attention->begin(attention->prepare(two_words()));
  const Attended attended = attention->forward(
      {.query = at::zeros({1, 1, 2}, at::kDouble), .coverage = attention->first_coverage(memory)},
      memory);
  EXPECT_LT(distance(attended.coverage.flatten(), at::tensor({1.0 / 3, 0.5}, at::kDouble)), 1e-12);
}

// Gates of zero: update = 1/2, fresh = tanh(w a) with w = 2 for the fresh rows. C = tanh(2 * 1/2)
// / 2.
TEST(Coverage, OfTheNeuralFormIsAGatedState) {
  const AttentionPtr attention = covered_dot(Coverage::neural);
  const at::NoGradGuard guard;
  attention->named_parameters()["from_weight"].narrow(0, 4, 2).fill_(2);
  const Prepared memory = attention->begin(attention->prepare(two_words()));
  const Attended attended = attention->forward(
      {.query = at::zeros({1, 1, 2}, at::kDouble), .coverage = attention->first_coverage(memory)},
      memory);
  EXPECT_LT(distance(attended.coverage, at::full({1, 1, 2, 2}, std::tanh(1) / 2, at::kDouble)),
            1e-12);
}

TEST(Coverage, OfHypothesesIsTheirOwn) {
  at::manual_seed(5);
  for (const Coverage form : {Coverage::linguistic, Coverage::neural}) {
    const AttentionPtr attention = make_covered(attention_maker("bahdanau")(kTwo), kTwo, form, 3);
    attention->to(at::kDouble);
    const Prepared memory = attention->begin(attention->prepare(two_words()));
    const Tensor queries = at::randn({1, 3, 2}, at::kDouble);
    const int64_t width = attention->first_coverage(memory).size(-1);
    const Tensor seen = at::rand({1, 3, 2, width}, at::kDouble);
    const Attended together =
        attention->forward({.query = queries, .position = 4, .coverage = seen}, memory);
    for (int64_t i = 0; i < 3; ++i) {
      const Attended alone = attention->forward(
          {.query = queries.narrow(1, i, 1), .position = 4, .coverage = seen.narrow(1, i, 1)},
          memory);
      EXPECT_LT(distance(together.context.narrow(1, i, 1), alone.context), 1e-12);
      EXPECT_LT(distance(together.coverage.narrow(1, i, 1), alone.coverage), 1e-12);
    }
  }
}

TEST(Coverage, IsRefusedWhereNothingIsLookedAt) {
  for (const char* attention : {"none", "luong_location"}) {
    testing::Kind kind{attention};
    kind.coverage = Coverage::neural;
    EXPECT_THROW(check(testing::small_config(kind), true), config::ConfigError) << attention;
  }
}

// P and Q are the identity: head 1 has the first halves, head 2 the second ones. Word 1 says (ln 3,
// 0), word 2 (0, ln 4), and s = (1, 1): the scores of head 1 are ln 3 and 0, of head 2 0 and ln 4.
TEST(SideBySide, EachHeadHasItsSlice) {
  const AttentionPtr attention = make_side_by_side(attention_maker("luong_dot"), kTwo, 2);
  attention->to(at::kDouble);
  const at::NoGradGuard guard;
  for (const char* name : {"query", "memory"})
    attention->named_parameters()[name].copy_(at::eye(2));
  const Tensor states =
      at::tensor({std::log(3.0), 0.0, 0.0, std::log(4.0)}, at::kDouble).view({1, 2, 2});
  const Prepared memory = attention->begin(attention->prepare(
      make_encoded(states, at::ones({1, 2}, at::kBool), at::zeros({1, 2}, at::kDouble))));
  const Attended attended = attention->forward({.query = at::ones({1, 1, 2}, at::kDouble)}, memory);
  EXPECT_LT(distance(attended.heads.flatten(), at::tensor({0.75, 0.25, 0.2, 0.8}, at::kDouble)),
            1e-12);
  EXPECT_LT(distance(attended.weights.flatten(), at::tensor({0.475, 0.525}, at::kDouble)), 1e-12);
  EXPECT_LT(distance(attended.context.flatten(),
                     at::tensor({0.75 * std::log(3.0), 0.8 * std::log(4.0)}, at::kDouble)),
            1e-12);
}

TEST(SideBySide, TheLogarithmsAreThoseOfTheMean) {
  at::manual_seed(6);
  const AttentionPtr attention = make_side_by_side(attention_maker("bahdanau"), kTwo, 2);
  attention->to(at::kDouble);
  const Prepared memory = attention->begin(attention->prepare(two_words()));
  const Attended attended = attention->forward(
      {.query = at::randn({1, 3, 2}, at::kDouble), .stride = 1, .logs = true}, memory);
  EXPECT_LT(distance(attended.logs.exp(), attended.weights), 1e-12);
}

}  // namespace
}  // namespace heed::model
