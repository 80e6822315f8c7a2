#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/faithful.h"

namespace heed::study {
namespace {

using testing::ElementsAre;

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
