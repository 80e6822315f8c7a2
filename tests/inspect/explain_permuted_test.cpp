// Exchanged weights move the output as far as they matter.
#include <gtest/gtest.h>

#include <algorithm>

#include "decode/random_models.h"
#include "decode/toy_model.h"
#include "inspect/explain.h"
#include "model/model.h"

namespace heed::inspect {
namespace {

const std::vector<std::string> kReadSources{"mira tolo sena", "", "kupo rel"};
const std::vector<std::string> kReadTargets{"rel vadi", "", "vadi kupo"};

TEST(Permute, EveryHeadOfEveryModelMovesTheOutput) {
  for (const auto& config : decode::many_models()) {
    auto translator = decode::make_translator(decode::random_model(config));
    const auto all = permuted_outputs(translator, kReadSources, kReadTargets, 3);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_TRUE(all[1].empty());
    if (!translator.first().model->attends()) {
      EXPECT_TRUE(all[0].empty());
      continue;
    }
    const bool transformer = config.type == model::ModelType::transformer;
    const int64_t layers = transformer ? config.decoder_layers : 1;
    const int64_t heads = transformer ? config.heads : config.attention_heads;
    // And each layer of several heads as a whole.
    ASSERT_EQ(std::ssize(all[0]), layers * (heads + (heads > 1)));
    for (const study::PermutedHead& moved : all[0]) {
      EXPECT_GT(moved.moved, 0);
      EXPECT_LT(moved.moved, 1);
    }
    const auto again = permuted_outputs(translator, kReadSources, kReadTargets, 3);
    EXPECT_EQ(again[0][0].moved, all[0][0].moved);
  }
}

// The weights of a step are those of all steps or of one.
TEST(Permute, EachStepHasOrdersOfItsOwn) {
  const at::Tensor weights =
      at::arange(7, at::kFloat).expand({2, 1, 1, 7});  // [batch, heads, 1, keys]
  const auto sorted = [](const at::Tensor& x) { return std::get<0>(x.sort(-1)); };
  const model::Exchange exchange = permuting(0, 0, 3), copy = exchange;
  const at::Tensor first = exchange(weights, 0, 0), second = copy(weights, 0, 0);
  EXPECT_FALSE(at::equal(first, second));
  EXPECT_FALSE(at::equal(first[0], first[1]));
  EXPECT_TRUE(at::equal(sorted(first), weights));
  EXPECT_TRUE(at::equal(sorted(second), weights));
  EXPECT_TRUE(at::equal(exchange(weights, 1, 0), weights));  // another layer stays
  EXPECT_TRUE(at::equal(permuting(0, 0, 3)(weights, 0, 0), first));
}

TEST(Permute, TheNamedHeadIsTheOnlyOneWhoseWeightsMove) {
  const at::Tensor weights =
      at::arange(7, at::kFloat).expand({1, 3, 5, 7}).contiguous();  // [batch, heads, query, keys]
  const auto moved_heads = [&](int64_t head, int64_t first_head) {
    const at::Tensor moved = permuting(2, head, 3)(weights, 2, first_head);
    std::vector<int64_t> heads;
    for (int64_t h = 0; h < 3; ++h)
      if (!at::equal(moved.select(1, h), weights.select(1, h))) heads.push_back(first_head + h);
    return heads;
  };
  for (const int64_t head : {0, 1, 2}) EXPECT_EQ(moved_heads(head, 0), std::vector<int64_t>{head});
  // Heads 3, 4 and 5 of those side by side.
  EXPECT_EQ(moved_heads(4, 3), std::vector<int64_t>{4});
  EXPECT_EQ(moved_heads(5, 3), std::vector<int64_t>{5});
  for (const int64_t elsewhere : {0, 2, 6})
    EXPECT_EQ(moved_heads(elsewhere, 3), std::vector<int64_t>{});
}

TEST(Permute, AllHeadsOfALayerMoveAlike) {
  const at::Tensor weights = at::arange(7, at::kFloat).expand({1, 3, 5, 7}).contiguous();
  const at::Tensor moved = permuting(2, -1, 3)(weights, 2, 0);
  EXPECT_FALSE(at::equal(moved, weights));
  EXPECT_TRUE(at::equal(std::get<0>(moved.sort(-1)), weights));
  for (const int64_t head : {1, 2})
    EXPECT_TRUE(at::equal(moved.select(1, head), moved.select(1, 0)));
  EXPECT_TRUE(at::equal(permuting(2, -1, 3)(weights, 1, 0), weights));  // another layer stays
}

// Where all weights are equal nothing is exchanged.
TEST(Permute, EqualWeightsMoveNothing) {
  const auto configs = decode::small_models();
  const auto transformer =
      std::ranges::find(configs, model::ModelType::transformer, &model::ModelConfig::type);
  const auto model = decode::random_model(*transformer);
  const at::NoGradGuard guard;
  int64_t zeroed = 0;
  for (const auto& parameter : model->named_parameters()) {
    if (parameter.key().find("cross_attention.query") == std::string::npos) continue;
    parameter.value().zero_();
    ++zeroed;
  }
  ASSERT_GT(zeroed, 0);
  auto translator = decode::make_translator(model);
  const auto all = permuted_outputs(translator, kReadSources, kReadTargets, 10);
  EXPECT_FALSE(all[0].empty());
  for (const study::PermutedHead& moved : all[0]) EXPECT_LT(moved.moved, 1e-5);
}

}  // namespace
}  // namespace heed::inspect
