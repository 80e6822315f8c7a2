// Windows, heads and rotary positions in numbers that can be followed with a pencil: states are
// chosen so that scores are logarithms and weights are fractions. (The other scores:
// attention_test; the three by three example and the masks: kernel_test; sinusoids: positions_test;
// numbers of parameters: parameters_test.)
#include <gtest/gtest.h>

#include <cmath>

#include "model/recurrent/attention/common.h"
#include "model/recurrent/support.h"
#include "model/transformer/multi_head.h"

namespace heed::model {
namespace {

using testing::distance;

Tensor rows(const std::vector<double>& numbers, int64_t columns) {
  return at::tensor(numbers, at::kDouble).view({-1, columns});
}

/// Four words whose states are log 1, log 2, log 3, log 4 in the first of two dimensions.
Encoded four_words() {
  const Tensor values =
      rows({0, 0, std::log(2), 0, std::log(3), 0, std::log(4), 0}, 2).unsqueeze(0);
  return make_encoded(values, at::ones({1, 4}, at::kBool), values.select(1, 0));
}

// With the state (1, 0) the dot scores are the logarithms, the weights 1 : 2 : 3 : 4 where seen.
TEST(WorkedNumbers, MonotonicWindow) {
  const AttentionPtr attention = make_local(
      attention_maker("luong_dot"), {.query = 2, .memory = 2, .hidden = 2}, Window::local_m, 1);
  const Tensor state = rows({1, 0}, 2).expand({1, 5, 2});
  const Tensor expected = rows({1. / 3, 2. / 3, 0,      0,        // t = 0 sees words 0, 1
                                1. / 6, 2. / 6, 3. / 6, 0,        // t = 1: 0, 1, 2
                                0,      2. / 9, 3. / 9, 4. / 9,   // t = 2: 1, 2, 3
                                0,      0,      3. / 7, 4. / 7,   // t = 3: 2, 3
                                0,      0,      3. / 7, 4. / 7},  // t = 4 stays at the last word
                               4);
  const Prepared memory = attention->begin(attention->prepare(four_words()));
  EXPECT_LT(
      distance(attention->forward({.query = state, .stride = 1}, memory).weights[0], expected),
      1e-12);
}

// W = 1 and v = (log 3 / tanh 1, 0) put p at 4 sigmoid(log 3) = 4 * 3/4 = 3; D = 2, so sigma is 1
// and word 0 is outside. Of 2, 3 and 4 ninths the Gaussian leaves 2/9 e^-2 = 0.0300745,
// 3/9 e^-1/2 = 0.2021769 and 4/9: the context is 0.0300745 log 2 + 0.2021769 log 3 + 4/9 log 4.
TEST(WorkedNumbers, PredictedWindowWithItsGaussian) {
  const AttentionPtr attention = make_local(
      attention_maker("luong_dot"), {.query = 2, .memory = 2, .hidden = 2}, Window::local_p, 2);
  attention->to(at::kDouble);
  const at::NoGradGuard no_grad;
  auto parameters = attention->named_parameters();
  parameters["position"].copy_(rows({1, 0, 0, 1}, 2));
  parameters["position_score"].copy_(rows({std::log(3) / std::tanh(1), 0}, 2)[0]);
  const Attended attended = attention->forward({.query = rows({1, 0}, 2).unsqueeze(0), .stride = 1},
                                               attention->begin(attention->prepare(four_words())));
  EXPECT_NEAR(attended.context[0][0][0].item<double>(), 0.8590909, 1e-7);
  // The weights that are reported sum to 1: they are divided by 0.6766958.
  EXPECT_LT(distance(attended.weights[0], rows({0, 0.0444432, 0.2987707, 0.6567861}, 4)), 1e-7);
}

/// Self-attention whose projections take these columns of x as queries, keys and values, and whose
/// output layer is the identity.
SelfAttentionPtr picking(MultiHeadOptions options, const std::vector<int64_t>& columns,
                         const std::string& kind = "none") {
  options.bias = false;
  const PositionsPtr positions =
      make_positions(kind, {.width = options.width, .heads = options.heads});
  positions->to(at::kDouble);
  const auto attention = make_self_attention(options, {.positions = positions});
  attention->to(at::kDouble);
  const at::NoGradGuard no_grad;
  const Tensor one = at::eye(options.width, at::kDouble);
  attention->named_parameters()["projection.weight"].copy_(
      one.index_select(0, at::tensor(columns, at::kLong)));
  attention->named_parameters()["output.weight"].copy_(one);
  return attention;
}

const double kRoot2 = std::sqrt(2.0);

// x1 = (c, 0, 0, 0) with c^2 = sqrt 2 log 3, x2 = (0, 0, 0, d) with d^2 = sqrt 2 log 7, two heads
// of width 2. Scores, divided by the root of the head's width: head 0 log 3 from x1 to itself, else
// 0; head 1 log 7 from x2 to itself, else 0. By the root of the model's width, 3 : 1 would be
// 2.17 : 1.
TEST(WorkedNumbers, TwoHeads) {
  const double c = std::sqrt(kRoot2 * std::log(3)), d = std::sqrt(kRoot2 * std::log(7));
  const auto attention = picking({.width = 4, .heads = 2}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  const Tensor x = rows({c, 0, 0, 0, 0, 0, 0, d}, 4).unsqueeze(0);
  Tensor weights;
  const Tensor output = attention->forward(x, {}, &weights);
  EXPECT_LT(distance(weights[0][0], rows({3. / 4, 1. / 4, 1. / 2, 1. / 2}, 2)), 1e-6);
  EXPECT_LT(distance(weights[0][1], rows({1. / 2, 1. / 2, 1. / 8, 7. / 8}, 2)), 1e-6);
  const Tensor expected = rows({3. / 4 * c, 0, 0, 1. / 2 * d, 1. / 2 * c, 0, 0, 7. / 8 * d}, 4);
  EXPECT_LT(distance(output[0], expected), 1e-12);
}

// One head of keys x(0), x(1) and of values x(2), x(3) serves both heads of queries. x1 = (c, 0,
// 5, 7), x2 = (0, 0, c, 0): head 0 of x1 scores log 3 with x1, head 1 of x2 too (its query is
// (c, 0)); head 1 of x1 has the query (5, 7), which scores 5 c / sqrt 2 with x1.
TEST(WorkedNumbers, OneHeadOfKeysForTwoOfQueries) {
  const double c = std::sqrt(kRoot2 * std::log(3)), e = std::exp(5 * c / kRoot2);
  const auto attention = picking({.width = 4, .heads = 2, .kv_heads = 1}, {0, 1, 2, 3, 0, 1, 2, 3});
  const Tensor x = rows({c, 0, 5, 7, 0, 0, c, 0}, 4).unsqueeze(0);
  Tensor weights;
  const Tensor output = attention->forward(x, {}, &weights);
  EXPECT_LT(distance(weights[0][0], rows({3. / 4, 1. / 4, 1. / 2, 1. / 2}, 2)), 1e-6);
  EXPECT_LT(distance(weights[0][1], rows({e / (e + 1), 1 / (e + 1), 3. / 4, 1. / 4}, 2)), 1e-6);
  // Both heads read the values (5, 7) and (c, 0).
  EXPECT_LT(distance(output[0][1].slice(0, 2, 4), at::tensor({15 + c, 21.}, at::kDouble) / 4),
            1e-12);
}

// Four heads of width 1, two of keys: x(0) for the heads 0 and 1, x(1) for 2 and 3. x2 = 0 scores
// 0; x1 = (a, b, ...) scores a a = log 3, b a = log 7, and with the second key log 3 and log 7.
TEST(WorkedNumbers, GroupedHeadsShareWithTheirNeighbours) {
  const double a = std::sqrt(std::log(3)), b = std::log(7) / a;
  const auto attention = picking({.width = 4, .heads = 4, .kv_heads = 2}, {0, 1, 2, 3, 0, 1, 0, 1});
  const Tensor x = rows({a, b, std::log(3) / b, std::log(7) / b, 0, 0, 0, 0}, 4).unsqueeze(0);
  Tensor weights;
  attention->forward(x, {}, &weights);
  const Tensor expected = rows({3. / 4, 1. / 4, 7. / 8, 1. / 8, 3. / 4, 1. / 4, 7. / 8, 1. / 8}, 2);
  EXPECT_LT(distance(weights[0].select(1, 0), expected), 1e-6);
}

// Three times the same word (c, 0) with c^2 = sqrt 2 log 3, turned by 0, 1 and 2 radians: the score
// of i and j is log 3 cos(i - j), whatever the place; 3^cos 1 = 1.8104 and 3^cos 2 = 0.6331.
TEST(WorkedNumbers, RotaryScoresKnowTheDistance) {
  const double c = std::sqrt(kRoot2 * std::log(3));
  const auto attention = picking({.width = 2, .heads = 1}, {0, 1, 0, 1, 0, 1}, "rotary");
  Tensor weights;
  attention->forward(rows({c, 0, c, 0, c, 0}, 2).unsqueeze(0), {}, &weights);
  const Tensor expected = rows({0.5511133, 0.3325901, 0.1162966,  //
                                0.2734456, 0.4531088, 0.2734456,  //
                                0.1162966, 0.3325901, 0.5511133},
                               3);
  EXPECT_LT(distance(weights[0][0], expected), 1e-6);
}

}  // namespace
}  // namespace heed::model
