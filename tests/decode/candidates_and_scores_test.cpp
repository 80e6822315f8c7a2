// Candidates, scores and draws: the parts of the search.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "decode/model_steps.h"
#include "decode/search/beam.h"
#include "decode/search/candidates.h"

namespace heed::decode {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

TEST(Candidates, AreTheBestOfARowWithTiesToTheLowerId) {
  const at::Tensor scores = at::tensor({1.F, 5.F, 3.F, 5.F, -2.F, 3.F, 5.F}).reshape({1, 7});
  const Candidates best = best_candidates({scores}, 4);
  EXPECT_EQ(best.ids, std::vector<int64_t>({1, 3, 6, 2}));
  EXPECT_EQ(best.values, std::vector<float>({5, 5, 5, 3}));
}

TEST(Candidates, AreAllOfARowInTheirOrder) {
  const at::Tensor scores = at::tensor({1.F, kNever, 3.F, -2.F, 0.F, 0.5F}).reshape({2, 3});
  const Candidates all = all_candidates({scores});
  EXPECT_EQ(all.count, 3);
  EXPECT_EQ(all.values, std::vector<float>({1, kNever, 3, -2, 0, 0.5F}));
  EXPECT_EQ(all.id(1, 2), 2);
}

TEST(Candidates, AgreeWithSortingForOddSizes) {
  at::manual_seed(3);
  for (const int64_t vocab : {1, 5, 31, 97, 1003}) {
    for (const int64_t count : {1, 3, 6, 50}) {
      const at::Tensor scores = at::randint(0, 40, {7, vocab}).to(at::kFloat);  // many ties
      const Candidates best = best_candidates({scores}, count);
      const auto [values, ids] = at::sort(scores, /*stable=*/true, /*dim=*/1, /*descending=*/true);
      ASSERT_EQ(best.count, std::min(count, vocab));
      for (int64_t r = 0; r < 7; ++r)
        for (int64_t i = 0; i < best.count; ++i) {
          EXPECT_EQ(best.values_of(r)[i], values[r][i].item<float>());
          EXPECT_EQ(best.id(r, i), ids[r][i].item<int64_t>());
        }
    }
  }
}

TEST(Candidates, ForbiddenScoresAreMissing) {
  at::Tensor scores = at::full({2, 65}, kNever);
  scores[0][64] = -3;
  scores[0][10] = -4;
  const Candidates best = best_candidates({scores}, 3);
  EXPECT_EQ(best.id(0, 0), 64);
  EXPECT_EQ(best.id(0, 1), 10);
  EXPECT_EQ(best.values_of(0)[2], kNever);
  EXPECT_EQ(best.values_of(1)[0], kNever);
}

TEST(Scorer, DividesByTheLengthPenalty) {
  DecodeConfig config;
  config.alpha = 0.5;
  config.length_penalty = LengthPenalty::none;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 4, 0), -6);
  config.length_penalty = LengthPenalty::average;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 4, 0), -1.5);
  config.length_penalty = LengthPenalty::power;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 4, 0), -3);
  config.length_penalty = LengthPenalty::gnmt;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 19, -0.25), -3.25);  // (24 / 6)^0.5 = 2
}

TEST(Scorer, SubtractsTheWordPenaltyBeforeTheDivision) {
  DecodeConfig config;
  config.word_penalty = 0.5;
  config.alpha = 0.5;
  config.length_penalty = LengthPenalty::none;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 4, 0), -8);
  config.length_penalty = LengthPenalty::average;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 4, 0), -2);
  config.length_penalty = LengthPenalty::power;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 4, 0), -4);
  config.length_penalty = LengthPenalty::gnmt;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 19, -0.25), -8);  // -15.5 / 2 - 0.25
  config.word_penalty = -1;
  EXPECT_DOUBLE_EQ(Scorer(config).score(-6, 19, 0), 6.5);
}

TEST(Scorer, BoundsAreAtTheBestLength) {
  DecodeConfig config;
  config.word_penalty = 0.5;
  config.length_penalty = LengthPenalty::none;
  EXPECT_DOUBLE_EQ(Scorer(config).bound(-6, 5, 30), -8.5);  // the shortest
  config.length_penalty = LengthPenalty::average;
  EXPECT_DOUBLE_EQ(Scorer(config).bound(-6, 5, 30), -0.7);  // the longest
  // (-6 - n / 2) / sqrt(n) is largest where n = 12.
  config.length_penalty = LengthPenalty::power;
  config.alpha = 0.5;
  EXPECT_DOUBLE_EQ(Scorer(config).bound(-6, 5, 30), -12 / std::sqrt(12));
  EXPECT_DOUBLE_EQ(Scorer(config).bound(-6, 16, 30), -14.0 / 4);
  EXPECT_DOUBLE_EQ(Scorer(config).bound(-6, 5, 9), -10.5 / 3);
  config.word_penalty = -0.5;  // the longest again
  EXPECT_DOUBLE_EQ(Scorer(config).bound(-6, 4, 16), 2.0 / 4);
}

TEST(Scorer, NothingThatALiveHypothesisBecomesBeatsItsBound) {
  for (const auto penalty :
       {LengthPenalty::none, LengthPenalty::average, LengthPenalty::power, LengthPenalty::gnmt}) {
    DecodeConfig config;
    config.length_penalty = penalty;
    config.alpha = 1.3;
    const Scorer scorer(config);
    const double bound = scorer.bound(-7, 5, 30);
    for (int64_t length = 5; length <= 30; ++length)
      EXPECT_LE(scorer.score(-7 - 0.01 * static_cast<double>(length), length, 0), bound);
  }
}

TEST(Scorer, NorWithAWordPenalty) {
  for (const auto penalty :
       {LengthPenalty::none, LengthPenalty::average, LengthPenalty::power, LengthPenalty::gnmt})
    for (const double alpha : {0.0, 0.3, 1.0, 1.7})
      for (const double each : {-3.0, -0.2, 0.1, 0.8, 5.0})
        for (const double now : {0.0, -0.5, -7.0, -60.0}) {
          DecodeConfig config;
          config.length_penalty = penalty;
          config.alpha = alpha;
          config.word_penalty = each;
          const Scorer scorer(config);
          const double bound = scorer.bound(now, 5, 30);
          double best = -INFINITY;
          for (int64_t length = 5; length <= 30; ++length)
            best = std::max(best, scorer.score(now, length, 0));
          EXPECT_LE(best, bound + 1e-12) << alpha << " " << each << " " << now;
          EXPECT_NEAR(best, bound, 0.01 * std::abs(bound) + 1e-12)
              << alpha << " " << each << " " << now;
        }
}

TEST(Scorer, CoverageCountsWhatLacksAttention) {
  DecodeConfig config;
  config.coverage_penalty = 2;
  const Scorer scorer(config);
  EXPECT_DOUBLE_EQ(scorer.coverage({1.5, 1, 3}), 0);
  EXPECT_DOUBLE_EQ(scorer.coverage({0.5, 1.2, 0.25}), 2 * (std::log(0.5) + std::log(0.25)));
  EXPECT_TRUE(std::isfinite(scorer.coverage({0, 1})));
}

TEST(Draw, FollowsTheDistribution) {
  const std::vector<float> values{std::log(0.5F), std::log(0.3F), std::log(0.2F)};
  SamplingConfig config;
  config.top_k = 3;
  Random random(7);
  std::vector<int> counts(3);
  for (int i = 0; i < 20000; ++i) ++counts[draw(values, config, random)];
  EXPECT_NEAR(counts[0], 10000, 300);
  EXPECT_NEAR(counts[1], 6000, 300);
  EXPECT_NEAR(counts[2], 4000, 300);
}

TEST(Draw, TopPKeepsTheFewestThatHoldEnough) {
  const std::vector<float> values{std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)};
  SamplingConfig config;
  config.top_p = 0.7;
  Random random(7);
  std::vector<int> counts(4);
  for (int i = 0; i < 8000; ++i) ++counts[draw(values, config, random)];
  EXPECT_NEAR(counts[0], 5000, 250);  // 5 : 3 of what is left
  EXPECT_NEAR(counts[1], 3000, 250);
  EXPECT_EQ(counts[2] + counts[3], 0);
}

TEST(Draw, NeedsNoOrder) {
  // The cut of 150 numbers by top_k, the nucleus, and both is as if all were sorted first.
  Random numbers(5);
  std::vector<float> values(150);
  for (float& value : values) value = static_cast<float>(-6 * numbers.uniform());
  values[7] = values[60] = values[141] = kNever;
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](int64_t i) { return values[i]; });
  std::vector<float> sorted;
  for (const int64_t i : order) sorted.push_back(values[i]);
  for (const auto& [top_k, top_p] : std::vector<std::pair<int64_t, double>>{
           {5, 0}, {0, 0.3}, {0, 0.95}, {0, 0.9999}, {100, 0.5}, {1, 1}}) {
    SamplingConfig config;
    config.top_k = top_k;
    config.top_p = top_p;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Random one = sampling_stream(config, seed, 3), other = sampling_stream(config, seed, 3);
      EXPECT_EQ(draw(values, config, one), order[draw(sorted, config, other)])
          << top_k << " " << top_p << " " << seed;
    }
  }
}

TEST(Draw, OfEqualOnesTheFirstAreTheFewestThatHoldEnough) {
  const std::vector<float> values(300, -2.F);
  SamplingConfig config;
  config.top_p = 0.5;
  Random random(3);
  std::set<int64_t> drawn;
  for (int i = 0; i < 5000; ++i) drawn.insert(draw(values, config, random));
  EXPECT_EQ(drawn.size(), 150U);
  EXPECT_EQ(*drawn.rbegin(), 149);
}

TEST(Draw, TemperatureSharpensAndFlattens) {
  const std::vector<float> values{std::log(0.6F), std::log(0.4F)};
  const auto share_of_first = [&](double temperature) {
    SamplingConfig config;
    config.top_k = 2;
    config.temperature = temperature;
    Random random(11);
    int first = 0;
    for (int i = 0; i < 8000; ++i) first += draw(values, config, random) == 0;
    return first / 8000.0;
  };
  EXPECT_NEAR(share_of_first(0.5), 0.36 / 0.52, 0.02);
  EXPECT_NEAR(share_of_first(100), 0.501, 0.02);
}

TEST(Draw, ForbiddenPiecesAreNeverDrawn) {
  SamplingConfig config;
  config.top_k = 3;
  Random random(1);
  const std::vector<float> one{-5.F, kNever, kNever}, none{kNever, kNever};
  for (int i = 0; i < 50; ++i) EXPECT_EQ(draw(one, config, random), 0);
  EXPECT_EQ(draw(none, config, random), -1);
}

}  // namespace
}  // namespace heed::decode
