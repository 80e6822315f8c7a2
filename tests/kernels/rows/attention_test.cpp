// Attention of one head, and additive attention of one query, against their equations.
#include "kernels/rows/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/rows/additive.h"
#include "kernels/rows/random_numbers.h"

namespace heed::kernels {
namespace {

TEST(HeadWork, IsSoftmaxOfQKTimesV) {
  constexpr int64_t kLength = 7, kHead = 3;
  const auto q = random_numbers(kLength * kHead, 1), k = random_numbers(kLength * kHead, 2),
             v = random_numbers(kLength * kHead, 3);
  for (const auto& [causal, window] : {std::pair{false, 0}, {true, 0}, {false, 1}, {true, 2}}) {
    std::vector<float> context(q.size());
    HeadWork<float> work;
    work.read({k.data(), kHead}, {v.data(), kHead},
              {.queries = kLength,
               .keys = kLength,
               .head = kHead,
               .pattern = {.window = window, .causal = causal},
               .scale = 0.5F});
    work.attend({q.data(), kHead}, {}, {context.data(), kHead});
    for (int64_t i = 0; i < kLength; ++i) {
      double total = 0, wanted[kHead] = {};
      for (int64_t s = 0; s < (causal ? i + 1 : kLength); ++s) {
        if (window > 0 && std::abs(i - s) > window) continue;
        double score = 0;
        for (int64_t d = 0; d < kHead; ++d) score += 0.5 * q[i * kHead + d] * k[s * kHead + d];
        total += std::exp(score);
        for (int64_t d = 0; d < kHead; ++d) wanted[d] += std::exp(score) * v[s * kHead + d];
      }
      for (int64_t d = 0; d < kHead; ++d)
        EXPECT_NEAR(context[i * kHead + d], wanted[d] / total, 1e-5)
            << i << (causal ? " causal" : "") << ", window " << window;
    }
  }
}

TEST(HeadWork, AQueryThatSeesNothingGetsZeros) {
  const float numbers[] = {1, 2, 3, 4};
  const bool valid[] = {false, false};
  float context[] = {9, 9};
  HeadWork<float> work;
  work.read({numbers, 2}, {numbers, 2}, {.queries = 1, .keys = 2, .head = 2, .valid = valid});
  work.attend({numbers, 2}, {}, {context, 2});
  EXPECT_EQ(context[0], 0);
  EXPECT_EQ(context[1], 0);
}

TEST(AdditiveRow, IsItsEquationByEitherWay) {
  constexpr int64_t kSource = 5, kHidden = 7, kMemory = 3;
  const auto query = random_numbers(kHidden, 4), keys = random_numbers(kSource * kHidden, 5),
             v = random_numbers(kHidden, 6), values = random_numbers(kSource * kMemory, 7);
  std::vector<float> exp_query(query.size()), exp_keys(keys.size());
  ASSERT_TRUE(exp_2x(query.data(), exp_query.data(), kHidden));
  ASSERT_TRUE(exp_2x(keys.data(), exp_keys.data(), kSource * kHidden));
  for (const bool exponentials : {false, true}) {
    const AdditiveScore score = exponentials
                                    ? AdditiveScore{exp_query.data(), exp_keys.data(), true}
                                    : AdditiveScore{query.data(), keys.data(), false};
    float weights[kSource], context[kMemory];
    additive_row(score, v.data(), values.data(), weights, context, {kSource, kHidden, kMemory});
    double total = 0, wanted[kSource], mixed[kMemory] = {};
    for (int64_t i = 0; i < kSource; ++i) {
      double e = 0;
      for (int64_t j = 0; j < kHidden; ++j)
        e += v[j] * std::tanh(static_cast<double>(query[j]) + keys[i * kHidden + j]);
      total += wanted[i] = std::exp(e);
    }
    for (int64_t i = 0; i < kSource; ++i) {
      EXPECT_NEAR(weights[i], wanted[i] / total, 1e-6);
      for (int64_t d = 0; d < kMemory; ++d) mixed[d] += wanted[i] / total * values[i * kMemory + d];
    }
    for (int64_t d = 0; d < kMemory; ++d) EXPECT_NEAR(context[d], mixed[d], 1e-6);
  }
}

TEST(Exp2x, SaysWhereAProductOfFourMightNotBeFinite) {
  const float small = 10.5F, large = 10.6F;
  float result = 0;
  EXPECT_TRUE(exp_2x(&small, &result, 1));
  EXPECT_NEAR(result / std::exp(21.0), 1, 1e-6);
  EXPECT_FALSE(exp_2x(&large, &result, 1));
}

}  // namespace
}  // namespace heed::kernels
