// Decoders without self-attention: worked numbers, and what both kinds promise.
#include "model/transformer/recurrence.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "config/schema.h"
#include "model/device.h"
#include "model/recurrent/support.h"
#include "model/transformer/blocks.h"

namespace heed::model {
namespace {

using testing::distance;

Tensor rows(const std::vector<double>& numbers) {
  return at::tensor(numbers, at::kDouble).view({1, -1, 3});
}

/// A recurrence of width 3, in double; every weight is 0.
RecurrencePtr empty(DecoderKind kind) {
  const RecurrencePtr recurrence =
      make_recurrence({.feed_forward = 3, .decoder = kind, .self = {.width = 3}});
  recurrence->to(at::kDouble);
  const at::NoGradGuard no_grad;
  for (Tensor& parameter : recurrence->parameters()) parameter.zero_();
  return recurrence;
}

// W = 1. The first two numbers are kept by sigmoid(0) = 1/2 and sigmoid(log 3) = 3/4; of the third
// by sigmoid(x(0) log 3 / 2), which is 3/4, 1/10 and 27/28.
TEST(Recurrence, SsruByHand) {
  const RecurrencePtr ssru = empty(DecoderKind::ssru);
  const at::NoGradGuard no_grad;
  auto weights = ssru->named_parameters();
  weights["candidate.weight"].copy_(at::eye(3));
  weights["forget.bias"][1] = std::log(3);
  weights["forget.weight"][2][0] = std::log(3) / 2;
  const Tensor x = rows({2, 4, 4,      // c = 1/2 2, 1/4 4, 1/4 4
                         -4, 4, 8,     // 1/2 (1 - 4), 3/4 + 1, 1/10 + 9/10 8
                         6, -20, 0});  // 1/2 (-1.5 + 6), 3/4 1.75 - 5, 27/28 7.3
  EXPECT_LT(distance(ssru->forward(x, {}), rows({1, 1, 1, 0, 1.75, 7.3, 2.25, 0, 27. / 28 * 7.3})),
            1e-12);
}

// FFN(m) = 2 max(0, m); i = 3/4; f = 1/2 but for the first number, sigmoid(g(0) log 3 / 4).
TEST(Recurrence, AverageByHand) {
  const RecurrencePtr average = empty(DecoderKind::average);
  const at::NoGradGuard no_grad;
  auto weights = average->named_parameters();
  weights["feed_forward.inner.weight"].copy_(at::eye(3));
  weights["feed_forward.output.weight"].copy_(2 * at::eye(3));
  weights["gates.bias"].narrow(0, 0, 3).fill_(std::log(3));
  weights["gates.weight"][3][3] = std::log(3) / 4;
  const Tensor x = rows({2, -2, 4,   // means 2, -2, 4: g = 4, 0, 8
                         4, 2, -8,   // 3, 0, -2: 6, 0, 0
                         0, 6, 4});  // 2, 2, 0: 4, 4, 0
  const double f = 1 - 1 / (1 + std::pow(3, 1.5));
  EXPECT_LT(distance(average->forward(x, {}),
                     rows({1.5 + 3, -1.5, 3 + 4, 3 + 6 * f, 1.5, -6, 3, 4.5 + 2, 3})),
            1e-12);
}

class EveryRecurrence : public ::testing::TestWithParam<DecoderKind> {
 protected:
  static constexpr int64_t kWidth = 12, kLength = 7;

  RecurrencePtr make(at::ScalarType type) const {
    at::manual_seed(12);
    const RecurrencePtr recurrence =
        make_recurrence({.feed_forward = 10, .decoder = GetParam(), .self = {.width = kWidth}});
    const at::NoGradGuard no_grad;
    for (Tensor& parameter : recurrence->parameters())
      if (parameter.dim() == 1) parameter.add_(at::randn_like(parameter), 0.3);
    recurrence->to(type);
    return recurrence;
  }
  static Tensor numbers(int64_t length, at::ScalarType type) {
    at::manual_seed(11);
    return at::randn({3, length, kWidth}, at::kDouble).to(type);
  }
};

// In double what LibTorch's operations compute, in fp32 the kernels.
TEST_P(EveryRecurrence, GivesStepByStepWhatItGivesAtOnce) {
  const at::NoGradGuard no_grad;
  for (const auto& [type, tolerance] : {std::pair(at::kDouble, 1e-12), {at::kFloat, 1e-5}})
    for (const int64_t length : {1, 7, 300}) {
      const RecurrencePtr recurrence = make(type);
      const Tensor x = numbers(length, type), whole = recurrence->forward(x, {});
      ASSERT_EQ(whole.sizes(), x.sizes());
      Tensor alone, beams;
      for (int64_t t = 0; t < length; ++t) {
        const Tensor now = x.narrow(1, t, 1), wanted = whole.narrow(1, t, 1);
        EXPECT_LT(distance(recurrence->step(now, alone, t), wanted), tolerance);
        const Tensor both = at::cat({now.flip(0), now}, 1);
        EXPECT_LT(distance(recurrence->step(both, beams, t).narrow(1, 1, 1), wanted), tolerance);
        EXPECT_EQ(beams.sizes(), at::IntArrayRef({3, 2, kWidth}));
      }
    }
}

TEST_P(EveryRecurrence, KnowsNoFutureAndNoPadding) {
  for (const auto type : {at::kDouble, at::kFloat}) {
    const RecurrencePtr recurrence = make(type);
    const Tensor x = numbers(kLength, type), whole = recurrence->forward(x, {});
    Tensor other = x.clone();
    other.narrow(1, 4, 3).normal_();
    EXPECT_EQ(distance(recurrence->forward(other, {}).narrow(1, 0, 4), whole.narrow(1, 0, 4)), 0);
    const SentenceLayout unpadded = sentence_layout({3, 7, 5}, kLength, at::kCPU);
    const Tensor words = remove_padding(x, unpadded);
    EXPECT_LT(distance(recurrence->forward(words, unpadded), remove_padding(whole, unpadded)),
              type == at::kDouble ? 1e-12 : 1e-6);
  }
}

TEST_P(EveryRecurrence, ComputesItsProductsInAutocastsType) {
  const RecurrencePtr recurrence = make(at::kFloat);
  const Tensor x = numbers(kLength, at::kFloat), exact = recurrence->forward(x, {});
  const Autocast autocast(at::kCPU, at::kBFloat16);
  const Tensor rounded = recurrence->forward(x, {});
  Tensor state;
  recurrence->step(x.narrow(1, 0, 1), state, 0);
  EXPECT_EQ(state.scalar_type(), at::kFloat);
  EXPECT_GT(distance(rounded, exact), 0);
  EXPECT_LT(distance(rounded, exact), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryRecurrence,
                         ::testing::Values(DecoderKind::ssru, DecoderKind::average),
                         [](const auto& info) { return config::name_of(info.param); });

TEST(Recurrence, AttentionIsNone) {
  EXPECT_THROW(make_recurrence({.decoder = DecoderKind::attention}), Bug);
}

}  // namespace
}  // namespace heed::model
