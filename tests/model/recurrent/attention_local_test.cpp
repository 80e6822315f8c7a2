// Windows around an attention: Luong et al. 2015, section 3.2, against plain loops.
#include <gtest/gtest.h>

#include <cmath>

#include "model/device.h"
#include "model/recurrent/attention/common.h"
#include "model/recurrent/support.h"

namespace heed::model {
namespace {

using testing::distance;

struct LocalAttention : ::testing::Test {
  LocalAttention() {
    at::manual_seed(13);
    valid = at::arange(7).unsqueeze(0) < at::tensor({3, 7}, at::kLong).unsqueeze(1);
    values = at::randn({2, 7, 6}, at::kDouble);
    query = at::randn({2, 5, 6}, at::kDouble);
  }
  Attended attend(Window window, int64_t half_width, int64_t position = 0, int64_t stride = 1) {
    attention = make_local(attention_maker("luong_dot"), {6, 6, 5, {}}, window, half_width);
    attention->to(at::kDouble);
    return attention->forward(
        {.query = query, .position = position, .stride = stride},
        attention->begin(attention->prepare(make_encoded(values, valid, values.select(1, 0)))));
  }
  double score(int64_t sentence, int64_t t, int64_t i) const {
    return (query[sentence][t] * values[sentence][i]).sum().item<double>();
  }

  AttentionPtr attention;
  Tensor valid, values, query;
};

TEST_F(LocalAttention, MonotonicWindowsFollowTheTargetPositionUpToTheLastWord) {
  const Tensor weights = attend(Window::local_m, 1, 1).weights;  // t = 1 .. 5
  const int64_t lengths[] = {3, 7};
  for (int64_t sentence = 0; sentence < 2; ++sentence)
    for (int64_t q = 0; q < 5; ++q) {
      const int64_t center = std::min<int64_t>(q + 1, lengths[sentence] - 1);
      const auto inside = [&](int64_t i) {
        return std::abs(i - center) <= 1 && i < lengths[sentence];
      };
      double sum = 0;
      for (int64_t i = 0; i < 7; ++i)
        if (inside(i)) sum += std::exp(score(sentence, q, i));
      for (int64_t i = 0; i < 7; ++i)
        EXPECT_NEAR(weights[sentence][q][i].item<double>(),
                    inside(i) ? std::exp(score(sentence, q, i)) / sum : 0.0, 1e-12)
            << sentence << " " << q << " " << i;
    }
}

TEST_F(LocalAttention, HypothesesAtOnePositionShareAWindow) {
  const Tensor weights = attend(Window::local_m, 1, 3, 0).weights;
  EXPECT_EQ(weights[1].slice(1, 2, 5).gt(0).sum().item<int64_t>(), 5 * 3);
  EXPECT_EQ(weights[1].slice(1, 0, 2).abs().sum().item<double>(), 0.0);
  EXPECT_EQ(weights[1].slice(1, 5, 7).abs().sum().item<double>(), 0.0);
}

TEST_F(LocalAttention, PredictedWindowsAreEquationsNineAndTen) {
  const Attended attended = attend(Window::local_p, 2);
  const auto parameters = attention->named_parameters();
  const Tensor inner = at::tanh(at::matmul(query, parameters["position"].t()));
  const int64_t lengths[] = {3, 7};
  for (int64_t sentence = 0; sentence < 2; ++sentence)
    for (int64_t q = 0; q < 5; ++q) {
      const double dot = (inner[sentence][q] * parameters["position_score"]).sum().item<double>();
      const double p = static_cast<double>(lengths[sentence]) / (1 + std::exp(-dot));
      std::vector<double> weights(7, 0.0);
      double sum = 0, total = 0;
      for (int64_t i = 0; i < lengths[sentence]; ++i)
        if (std::abs(static_cast<double>(i) - p) <= 2)
          sum += weights[i] = std::exp(score(sentence, q, i));
      Tensor context = at::zeros({6}, at::kDouble);
      for (int64_t i = 0; i < 7; ++i) {
        const double offset = static_cast<double>(i) - p;
        weights[i] *= std::exp(-offset * offset / (2 * 1.0 * 1.0)) / sum;  // sigma = D / 2 = 1
        context += weights[i] * values[sentence][i];
        total += weights[i];
      }
      EXPECT_LT(distance(attended.context[sentence][q], context), 1e-12);
      for (int64_t i = 0; i < 7; ++i)
        EXPECT_NEAR(attended.weights[sentence][q][i].item<double>(), weights[i] / total, 1e-12);
    }
}

// Numbers of bf16 lie 1/4 apart between 32 and 64.
TEST_F(LocalAttention, CentresAndScoresAreFp32WhateverThePrecision) {
  const at::NoGradGuard guard;
  for (const std::string& name : attention_names()) {
    if (attention_info(name).timing != Timing::kAfter || name == "luong_location") continue;
    for (const Window window : {Window::local_m, Window::local_p}) {
      const AttentionPtr attention = make_local(attention_maker(name), {6, 6, 5, {}}, window, 2);
      const auto once = [&] {
        const Prepared memory = attention->begin(attention->prepare(
            make_encoded(values.to(at::kFloat), valid, values.select(1, 0).to(at::kFloat))));
        return attention->forward({.query = query.to(at::kFloat), .stride = 1}, memory);
      };
      const Attended whole = once();
      const Autocast autocast(at::kCPU, at::kBFloat16);
      const Attended narrow = once();
      EXPECT_EQ(distance(narrow.weights, whole.weights), 0) << name << config::name_of(window);
      EXPECT_EQ(distance(narrow.context, whole.context), 0) << name << config::name_of(window);
    }
  }
}

TEST_F(LocalAttention, AWindowWiderThanTheSentenceIsGlobal) {
  const AttentionPtr global = attention_maker("luong_dot")({6, 6, 5, {}});
  const Attended expected = global->forward(
      {.query = query, .stride = 1},
      global->begin(global->prepare(make_encoded(values, valid, values.select(1, 0)))));
  EXPECT_LT(distance(attend(Window::local_m, 100).context, expected.context), 1e-12);
}

}  // namespace
}  // namespace heed::model
