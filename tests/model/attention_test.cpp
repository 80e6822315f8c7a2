// What every attention of the registry promises, and each score's numbers worked by hand.
#include "model/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "base/error.h"
#include "recurrent_support.h"

namespace heed::model {
namespace {

using testing::distance;

constexpr int64_t kWidth = 6;

Tensor valid_rows(const std::vector<int64_t>& lengths, int64_t width) {
  return at::arange(width).unsqueeze(0) < at::tensor(lengths, at::kLong).unsqueeze(1);
}

class EveryAttention : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    at::manual_seed(11);
    attention_ = attention_info(GetParam()).make({kWidth, kWidth, 5, 0});
    attention_->to(at::kDouble);
    valid_ = valid_rows({3, 7, 5}, 7);
    values_ = at::randn({3, 7, kWidth}, at::kDouble);
    summary_ = at::randn({3, kWidth}, at::kDouble);
    query_ = at::randn({3, 5, kWidth}, at::kDouble);
  }

  Attended attend(const Tensor& query, const Tensor& values, const Tensor& valid,
                  const Tensor& summary) {
    return attention_->forward(query, attention_->prepare(make_memory(values, valid, summary)), 0,
                               1);
  }
  Attended attend() { return attend(query_, values_, valid_, summary_); }

  AttentionPtr attention_;
  Tensor valid_, values_, summary_, query_;
};

TEST_P(EveryAttention, GivesOneContextPerQuery) {
  EXPECT_EQ(attend().context.sizes(), at::IntArrayRef({3, 5, kWidth}));
}

TEST_P(EveryAttention, WeightsSumToOneOverTheValidPositionsAndAreExactlyZeroElsewhere) {
  const Tensor weights = attend().weights;
  EXPECT_EQ(weights.defined(), attention_info(GetParam()).timing != Timing::kNever);
  if (!weights.defined()) return;
  ASSERT_EQ(weights.sizes(), at::IntArrayRef({3, 5, 7}));
  EXPECT_LT(distance(weights.sum(-1), at::ones({3, 5}, at::kDouble)), 1e-12);
  EXPECT_TRUE((weights >= 0).all().item<bool>());
  const Tensor padding = valid_.logical_not().unsqueeze(1).expand_as(weights);
  EXPECT_EQ(weights.masked_select(padding).abs().sum().item<double>(), 0.0);
}

TEST_P(EveryAttention, ContextIsTheWeightedSumOfTheValues) {
  const Attended attended = attend();
  if (!attended.weights.defined()) {
    EXPECT_EQ(distance(attended.context, summary_.unsqueeze(1)), 0.0);
    return;
  }
  EXPECT_LT(distance(attended.context, at::bmm(attended.weights, values_)), 1e-12);
}

TEST_P(EveryAttention, ContentOfPaddingChangesNothing) {
  const Tensor other =
      at::where(valid_.unsqueeze(-1), values_, at::randn(values_.sizes(), at::kDouble) * 1e3);
  ASSERT_GT(distance(values_, other), 1);
  EXPECT_EQ(distance(attend().context, attend(query_, other, valid_, summary_).context), 0.0);
}

TEST_P(EveryAttention, ReorderingTheBatchReordersTheContexts) {
  const Tensor order = at::tensor({2, 0, 1}, at::kLong);
  const auto moved = [&](const Tensor& x) { return x.index_select(0, order); };
  const Attended there = attend(moved(query_), moved(values_), moved(valid_), moved(summary_));
  EXPECT_LT(distance(there.context, moved(attend().context)), 1e-13);
}

TEST_P(EveryAttention, HypothesesOfABeamAttendAsIfAlone) {
  const Memory memory = attention_->prepare(make_memory(values_, valid_, summary_));
  const Tensor together = attention_->forward(query_, memory, 4, 0).context;
  for (int64_t i = 0; i < 5; ++i) {
    const Tensor alone = attention_->forward(query_.narrow(1, i, 1), memory, 4, 0).context;
    EXPECT_LT(distance(together.narrow(1, i, 1), alone), 1e-13);
  }
}

TEST_P(EveryAttention, OnlyOneValidPositionTakesAllWeight) {
  const Attended attended = attend(query_, values_, valid_rows({1, 1, 1}, 7), summary_);
  if (!attended.weights.defined()) return;
  EXPECT_LT(distance(attended.context, values_.narrow(1, 0, 1).expand_as(attended.context)), 1e-13);
}

TEST_P(EveryAttention, DropoutThinsTheContextButNotTheReportedWeights) {
  const AttentionPtr thinned = attention_info(GetParam()).make({kWidth, kWidth, 5, 0.5});
  thinned->to(at::kDouble);
  const Memory memory = thinned->prepare(make_memory(values_, valid_, summary_));
  const Attended trained = thinned->forward(query_, memory, 0, 1);
  thinned->eval();
  const Attended whole = thinned->forward(query_, memory, 0, 1);
  if (!whole.weights.defined()) return;
  EXPECT_EQ(distance(trained.weights, whole.weights), 0.0);
  EXPECT_GT(distance(trained.context, whole.context), 1e-3);
}

// Central differences in double for every entry of a tensor.
void expect_gradient(const Tensor& leaf, const std::function<Tensor()>& loss, const char* what) {
  const Tensor gradient =
      torch::autograd::grad({loss()}, {leaf}, {}, std::nullopt, false, /*allow_unused=*/true)[0];
  ASSERT_TRUE(gradient.defined()) << what;
  EXPECT_GT(gradient.abs().max().item<double>(), 1e-6) << what;
  at::NoGradGuard guard;
  const double step = 1e-5;
  for (int64_t i = 0; i < leaf.numel(); i += 3) {
    Tensor entry = leaf.view(-1)[i];
    const double here = entry.item<double>();
    entry.fill_(here + step);
    const double above = loss().item<double>();
    entry.fill_(here - step);
    const double below = loss().item<double>();
    entry.fill_(here);
    EXPECT_NEAR(gradient.reshape(-1)[i].item<double>(), (above - below) / (2 * step), 1e-7)
        << what << " " << i;
  }
}

TEST_P(EveryAttention, GradientsEqualCentralDifferences) {
  const Tensor pattern = at::randn({3, 5, kWidth}, at::kDouble);
  const auto loss = [&] { return (attend().context * pattern).sum(); };
  for (const auto& parameter : attention_->named_parameters())
    expect_gradient(parameter.value(), loss, parameter.key().c_str());
  if (attention_info(GetParam()).timing == Timing::kNever) {
    EXPECT_TRUE(attention_->parameters().empty());
    return;
  }
  query_.requires_grad_();
  expect_gradient(query_, loss, "query");
  values_.requires_grad_();
  expect_gradient(values_, loss, "values");
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryAttention, ::testing::ValuesIn(attention_names()),
                         [](const auto& info) { return info.param; });

// One sentence of two words, one query, states two wide.
Tensor weights_of(const std::string& name, const std::vector<std::pair<std::string, Tensor>>& set,
                  const Tensor& query, const Tensor& values) {
  const AttentionPtr attention = attention_info(name).make({2, 2, 2, 0});
  at::NoGradGuard guard;
  auto parameters = attention->named_parameters();
  EXPECT_EQ(parameters.size(), set.size());
  for (const auto& [key, value] : set) parameters[key].copy_(value);
  const Memory memory = attention->prepare(make_memory(
      values.unsqueeze(0), at::ones({1, values.size(0)}, at::kBool), at::zeros({1, 2})));
  return attention->forward(query.view({1, 1, 2}), memory, 0, 1).weights.flatten();
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

TEST(AttentionRegistry, DotWithUnequalWidthsIsTheUsersMistake) {
  EXPECT_THROW(attention_info("luong_dot").make({3, 5, 7, 0}), UserError);
}

}  // namespace
}  // namespace heed::model
