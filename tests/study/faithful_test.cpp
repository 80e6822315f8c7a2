#include "study/faithful.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace heed::study {
namespace {

using testing::HasSubstr;

std::optional<double> tau(const std::vector<float>& a, const std::vector<float>& b) {
  return kendall(a, b);
}

TEST(Kendall, CountsPairsInTheSameOrder) {
  EXPECT_DOUBLE_EQ(*tau({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(*tau({1, 2, 3}, {3, 2, 1}), -1);
  // Five of six pairs are in the same order: (5 - 1) / 6.
  EXPECT_DOUBLE_EQ(*tau({1, 2, 3, 4}, {1, 2, 4, 3}), 4.0 / 6);
}

TEST(Kendall, LeavesTiesOutOnTheSideThatHasThem) {
  // One pair of `a` is tied: 5 / sqrt(5 * 6).
  EXPECT_DOUBLE_EQ(*tau({1, 1, 2, 3}, {1, 2, 3, 4}), 5 / std::sqrt(30.0));
  EXPECT_FALSE(tau({1, 1, 1}, {1, 2, 3}));
  EXPECT_FALSE(tau({}, {}));
}

TEST(MeanOf, HasAnIntervalAroundIt) {
  EXPECT_FALSE(mean_of({}));
  const auto same = mean_of({0.5, 0.5, 0.5});
  EXPECT_EQ(same->value, 0.5);
  EXPECT_EQ(same->interval.low, 0.5);
  std::vector<double> coin(100, 0.0);
  std::fill(coin.begin(), coin.begin() + 50, 1.0);
  const auto mean = mean_of(coin);  // a standard error of 0.05
  EXPECT_EQ(mean->value, 0.5);
  EXPECT_NEAR(mean->interval.low, 0.4, 0.03);
  EXPECT_NEAR(mean->interval.high, 0.6, 0.03);
}

AttentionMatrix matrix(AttentionKind kind, int64_t head, std::vector<float> weights) {
  return {.kind = kind,
          .layer = 0,
          .head = head,
          .target = {"\u2581a", "\u2581b", "</s>"},
          .source = {"\u2581x", "\u2581y", "\u2581z", "</s>"},
          .weights = std::move(weights)};
}

TEST(Faithful, ComparesEveryHeadWithOtherEvidence) {
  // The end of either side tells nothing, whatever stands there.
  const std::vector<AttentionMatrix> attention = {
      matrix(AttentionKind::cross, 0, {.5f, .3f, .1f, .1f, .1f, .2f, .7f, 0, 0, 0, 0, 1}),
      matrix(AttentionKind::cross, 1, {.25f, .25f, .25f, .25f, 0, 1, 0, 0, 0, 0, 0, 1})};
  const std::vector<AttentionMatrix> evidence = {
      matrix(AttentionKind::saliency, -1, {.6f, .3f, .1f, 0, .1f, .3f, .6f, 0, 0, 0, 0, 1}),
      matrix(AttentionKind::erasure, -1, {.6f, .3f, .1f, 0, .6f, .3f, .1f, 0, 0, 0, 0, 1})};
  const GoldAlignment gold{.sure = {{0, 0}, {2, 1}}, .possible = {{0, 0}, {2, 1}}};
  const std::vector<PermutedHead> permuted = {{0, 0, 0.25}};
  FaithfulReport report;
  report.add({attention, evidence, permuted, &gold}, "here");
  ASSERT_EQ(report.rows().size(), 4U);
  const FaithfulRow &sharp = report.rows()[0], &flat = report.rows()[1];
  EXPECT_EQ(sharp.saliency, std::vector<double>{1});
  EXPECT_EQ(sharp.erasure, std::vector<double>{0});  // 1 and -1
  EXPECT_EQ(sharp.moved, std::vector<double>{0.25});
  EXPECT_EQ(sharp.aligned.rate(), 0);
  // Row a tells no two words apart; row b two of three pairs: (1 - 1) / sqrt(2 * 3).
  EXPECT_EQ(flat.saliency, std::vector<double>{0});
  EXPECT_NEAR(flat.entropy[0], std::log(4) / 2, 1e-6);
  EXPECT_TRUE(flat.moved.empty());
  const FaithfulRow& saliency = report.rows()[2];
  EXPECT_TRUE(saliency.saliency.empty());
  EXPECT_EQ(saliency.erasure, std::vector<double>{0});
  EXPECT_EQ(saliency.aligned.rate(), 0);
  EXPECT_EQ(report.rows()[3].aligned.rate(), 0.5);
  EXPECT_THAT(faithful_table(report), HasSubstr("1.00 (1.00 to 1.00)"));
  EXPECT_THAT(faithful_csv(report), HasSubstr("attention,0,0,1.00000,1.00000,1.00000,0.00000"));
}

TEST(Faithful, GoldThatDoesNotFitIsNamed) {
  const std::vector<AttentionMatrix> attention = {
      matrix(AttentionKind::cross, 0, {.5f, .3f, .1f, .1f, .1f, .2f, .7f, 0, 0, 0, 0, 1})};
  const GoldAlignment gold{.sure = {{3, 0}}, .possible = {{3, 0}}};
  FaithfulReport report;
  EXPECT_THROW(report.add({attention, {}, {}, &gold}, "gold:1"), UserError);
}

TEST(SharesOf, AreWithoutSignsAndSumToOne) {
  const AttentionMatrix shares =
      shares_of(matrix(AttentionKind::saliency, -1, {-1, 2, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_THAT(shares.weights,
              testing::ElementsAre(.25f, .5f, .25f, 0, 0, 0, 0, 0, .25f, .25f, .25f, .25f));
}

}  // namespace
}  // namespace heed::study
