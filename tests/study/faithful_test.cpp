#include "study/faithful.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace heed::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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

std::vector<score::BleuStatistics> statistics(const std::vector<std::string>& hypotheses) {
  const std::vector<std::string> references{"a b c d e", "f g h i j k"};
  return score::bleu_statistics(hypotheses, references);
}

// Two sentences of 4 and 6 pieces: the loss grows by 1 and 4, that is 0.5 a piece.
TEST(Ablation, TellsWhatIsLostPerPiece) {
  const Trial whole{"nothing", {2, 3}, {}};
  const std::vector<Trial> silenced{{"cross.0.1", {3, 7}, {}}};
  const auto rows = compare_trials(whole, silenced, 10);
  EXPECT_DOUBLE_EQ(rows[0].loss.value, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].loss.interval.low, 0.2);
  EXPECT_DOUBLE_EQ(rows[0].loss.interval.high, 0.8);
  EXPECT_FALSE(rows[0].bleu_change);
  const std::string table = ablation_table(whole, rows, 10);
  EXPECT_THAT(table, HasSubstr("0.5000"));
  EXPECT_THAT(table, HasSubstr("+0.5000 (+0.2000 to +0.8000)"));
  EXPECT_THAT(table, Not(HasSubstr("BLEU")));
}

TEST(Ablation, ComparesTranslationsOfTheSameSentences) {
  const Trial whole{"nothing", {2, 3}, statistics({"a b c d e", "f g h i j k"})};
  const std::vector<Trial> silenced{{"same", {2, 3}, statistics({"a b c d e", "f g h i j k"})},
                                    {"worse", {2, 3}, statistics({"a b c d x", "f g h i j x"})}};
  const auto rows = compare_trials(whole, silenced, 10);
  EXPECT_NEAR(rows[0].bleu, 100, 1e-9);
  EXPECT_EQ(rows[0].bleu_change->difference, 0);
  EXPECT_LT(rows[1].bleu_change->difference, -10);
  EXPECT_LT(rows[1].bleu_change->interval.high, 0);
  EXPECT_THAT(ablation_csv(rows), HasSubstr("\nsame,0.000000,0.000000,0.000000,100.0000,0.0000"));
}

// Source pieces x y z and an end; one target piece and its end, of which nothing is told.
AttentionMatrix row(AttentionKind kind, int64_t layer, int64_t head, float x, float y, float z) {
  return {.kind = kind,
          .layer = layer,
          .head = head,
          .target = {"\u2581a", "</s>"},
          .source = {"\u2581x", "\u2581y", "\u2581z", "</s>"},
          .weights = {x, y, z, 0, 0, 0, 0, 1}};
}

std::vector<std::string> names(const Pictures& pictures, Belief belief) {
  std::vector<std::string> out;
  for (const Picture& picture : pictures.all)
    if (picture.belief == belief)
      out.push_back(name_of(picture.row.kind) + " " + std::to_string(picture.row.layer) + " " +
                    head_name(picture.row.head));
  return out;
}

TEST(Judge, BelievesHeadsThatAgreeAndMoveTheOutput) {
  // Saliency ranks x, y, z; erasure x, z, y: 2 of 3 pairs in the same order, tau 1/3.
  const std::vector<AttentionMatrix> evidence = {
      row(AttentionKind::rollout, -1, -1, .5f, .3f, .2f),
      row(AttentionKind::saliency, -1, -1, .5f, .3f, .2f),
      row(AttentionKind::erasure, -1, -1, .5f, .2f, .3f)};
  const std::vector<AttentionMatrix> attention = {
      row(AttentionKind::cross, 0, 0, .2f, .3f, .5f),    // -1 and -1/3
      row(AttentionKind::cross, 0, 1, .5f, .3f, .2f),    // 1 and 1/3
      row(AttentionKind::cross, 0, -1, .3f, .5f, .2f),   // 1/3 and -1/3
      row(AttentionKind::cross, 1, 0, .4f, .35f, .25f),  // 1 and 1/3
      row(AttentionKind::cross, 1, 1, .1f, .2f, .7f),    // as layer 0, head 0
      row(AttentionKind::cross, 1, -1, .5f, .3f, .2f)};
  const std::vector<PermutedHead> permuted = {
      {0, 0, kMoves}, {0, 1, kMoves - .001}, {1, 0, kMoves}, {1, 1, .001}};
  FaithfulReport report;
  for (int sentence = 0; sentence < 3; ++sentence)
    report.add({attention, evidence, permuted, nullptr}, "here");
  const Pictures pictures = judge(report);
  ASSERT_TRUE(pictures.measure);
  EXPECT_NEAR(pictures.measure->value, 1.0 / 3, 1e-12);
  EXPECT_THAT(names(pictures, Belief::believed), ElementsAre("cross 1 0"));
  EXPECT_THAT(names(pictures, Belief::agrees),
              ElementsAre("cross 0 1", "cross 1 mean", "rollout -1 mean"));
  EXPECT_THAT(names(pictures, Belief::moves), ElementsAre("cross 0 0"));
  EXPECT_THAT(names(pictures, Belief::neither), ElementsAre("cross 0 mean", "cross 1 1"));
  EXPECT_THAT(names(pictures, Belief::measure), ElementsAre("saliency -1 mean", "erasure -1 mean"));
  // Pictures are in this order, those that agree more first.
  EXPECT_EQ(pictures.all.front().row.layer, 1);
  EXPECT_EQ(pictures.all.back().row.kind, AttentionKind::erasure);
}

TEST(Judge, NothingAgreesWithEvidenceThatDoesNotAgreeWithItself) {
  // Erasure ranks the other way round. As high as their tau of -1 is no agreement.
  const std::vector<AttentionMatrix> evidence = {
      row(AttentionKind::saliency, -1, -1, .5f, .3f, .2f),
      row(AttentionKind::erasure, -1, -1, .2f, .3f, .5f)};
  const std::vector<AttentionMatrix> attention = {row(AttentionKind::cross, 0, 0, .5f, .3f, .2f)};
  const std::vector<PermutedHead> permuted = {{0, 0, .5}};
  FaithfulReport report;
  report.add({attention, evidence, permuted, nullptr}, "here");
  EXPECT_THAT(names(judge(report), Belief::moves), ElementsAre("cross 0 0"));
}

TEST(Judge, AnOnlyHeadHasNoMeanBesideIt) {
  const std::vector<AttentionMatrix> attention = {row(AttentionKind::cross, 0, 0, .5f, .3f, .2f),
                                                  row(AttentionKind::cross, 0, -1, .5f, .3f, .2f)};
  FaithfulReport report;
  report.add({attention, {}, {}, nullptr}, "here");
  const Pictures pictures = judge(report);
  ASSERT_EQ(pictures.all.size(), 1U);
  EXPECT_TRUE(pictures.all[0].is_head());
  EXPECT_FALSE(pictures.measure);
  EXPECT_EQ(pictures.all[0].belief, Belief::neither);
}

}  // namespace
}  // namespace heed::study
