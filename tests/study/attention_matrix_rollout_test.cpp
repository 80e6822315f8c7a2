#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "study/attention_matrix.h"

namespace heed::study {
namespace {

AttentionMatrix layer_matrix(AttentionKind kind, int64_t layer, int64_t head,
                             std::vector<float> weights) {
  return {.kind = kind,
          .layer = layer,
          .head = head,
          .target = {"a", "b"},
          .source = {"x", "y"},
          .weights = std::move(weights)};
}

// Encoder: both positions look at y. R = 1/2 I + 1/2 (0 1; 0 1) = (1/2 1/2; 0 1).
// Decoder layer 0: nothing so far, whatever it looks at. Cross: a looks at x, b at y: U = 1/2 R.
TEST(Rollout, OfOneLayerIsHalfOfWhatItLooksAt) {
  const std::vector<AttentionMatrix> heads = {
      layer_matrix(AttentionKind::encoder, 0, 0, {0, 1, 0, 1}),
      layer_matrix(AttentionKind::decoder, 0, 0, {1, 0, 1, 0}),
      layer_matrix(AttentionKind::cross, 0, 0, {1, 0, 0, 1})};
  const AttentionMatrix shares = rollout(heads);
  EXPECT_EQ(shares.kind, AttentionKind::rollout);
  EXPECT_THAT(shares.weights, testing::ElementsAre(0.5f, 0.5f, 0, 1));
}

// Two layers whose encoders look at themselves (R = I). U(1) = 1/2 (1 0; 0 1). Layer 1: b looks at
// a in the decoder: (1 0; 1/2 1/2) U(1) = (1/2 0; 1/4 1/4); its cross-attention looks at y: U(2) =
// (1/4 1/2; 1/8 5/8). Rows scaled to 1: (1/3 2/3; 1/6 5/6). The heads of the cross-attention are
// averaged.
TEST(Rollout, OfTwoLayersGoesThroughBoth) {
  const std::vector<AttentionMatrix> heads = {
      layer_matrix(AttentionKind::encoder, 0, 0, {1, 0, 0, 1}),
      layer_matrix(AttentionKind::encoder, 1, 0, {1, 0, 0, 1}),
      layer_matrix(AttentionKind::decoder, 0, 0, {1, 0, 0, 1}),
      layer_matrix(AttentionKind::decoder, 1, 0, {1, 0, 1, 0}),
      layer_matrix(AttentionKind::cross, 0, 0, {1, 0, 0, 1}),
      layer_matrix(AttentionKind::cross, 0, -1, {0, 1, 1, 0}),
      layer_matrix(AttentionKind::cross, 1, 0, {0, 1, 0, 1}),
      layer_matrix(AttentionKind::cross, 1, 1, {0, 1, 0, 1})};
  const AttentionMatrix shares = rollout(heads);
  const float expected[] = {1.0f / 3, 2.0f / 3, 1.0f / 6, 5.0f / 6};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(shares.weights[i], expected[i], 1e-6) << i;
}

// Encoder: R(0) = 1/2 I + 1/2 (0 1; 0 1) = (1/2 1/2; 0 1), R(1) = 1/2 I + 1/2 (1 0; 1 0) =
// (1 0; 1/2 1/2), and R(1) R(0) = (1/2 1/2; 1/4 3/4); the other way round it is (3/4 1/4; 1/2 1/2).
TEST(Rollout, GoesThroughTheEncodersLayersFromTheFirstOn) {
  const std::vector<AttentionMatrix> heads = {
      layer_matrix(AttentionKind::encoder, 1, 0, {1, 0, 1, 0}),
      layer_matrix(AttentionKind::encoder, 0, 0, {0, 1, 0, 1}),
      layer_matrix(AttentionKind::decoder, 0, 0, {1, 0, 1, 0}),
      layer_matrix(AttentionKind::cross, 0, 0, {1, 0, 0, 1})};
  EXPECT_THAT(rollout(heads).weights, testing::ElementsAre(0.5f, 0.5f, 0.25f, 0.75f));
}

TEST(Rollout, OfARecurrentModelIsRefused) {
  const std::vector<AttentionMatrix> heads = {
      layer_matrix(AttentionKind::cross, 0, 0, {1, 0, 0, 1})};
  EXPECT_THROW(rollout(heads), UserError);
}

}  // namespace
}  // namespace heed::study
