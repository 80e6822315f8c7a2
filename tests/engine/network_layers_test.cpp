// The weights of every layer and head of a network, as it steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "engine/network.h"
#include "engine/random_weights.h"

namespace heed::engine {
namespace {

using model::AttentionKind;
using testing::kOneThread;

const std::vector<int64_t> kTokens = {4, 7, 9, 3, 5, 3, 0, 0}, kLengths = {4, 2};
const SourceBatch kSource{kTokens.data(), kLengths.data(), 2, 4};

/// Row `row` of a head: [keys].
Floats row_of(const LayerMap& map, int64_t row, int64_t head) {
  const auto begin = map.weights.begin() + (row * map.heads + head) * map.keys;
  return {begin, begin + map.keys};
}

/// Adds up to 1 within the keys [first, end), and is exactly 0 elsewhere.
void expect_looks_at(const LayerMap& map, int64_t row, int64_t first, int64_t end) {
  for (int64_t head = 0; head < map.heads; ++head) {
    const Floats weights = row_of(map, row, head);
    EXPECT_NEAR(std::accumulate(weights.begin() + first, weights.begin() + end, 0.F), 1, 1e-5);
    for (int64_t i = 0; i < map.keys; ++i) EXPECT_EQ(weights[i] > 0, i >= first && i < end) << i;
  }
}

TEST(LayerMaps, OfATransformerAreThoseOfEveryLayerAndHead) {
  model::ModelConfig config = testing::small_transformer();
  config.sliding_window = 1;
  const auto network =
      make_network(config, testing::random_transformer(config, 41), WeightFormat::fp32);
  LayerMaps maps;
  const auto decoder = network->start(kSource, kOneThread, &maps);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].kind, AttentionKind::encoder);
  EXPECT_EQ(std::tuple(maps[0].layer, maps[0].heads, maps[0].keys), std::tuple(0, 3, 4));
  ASSERT_EQ(maps[0].weights.size(), 6U * 3 * 4);  // of the pieces of both sentences
  expect_looks_at(maps[0], 0, 0, 2);
  expect_looks_at(maps[0], 2, 1, 4);
  expect_looks_at(maps[0], 4, 0, 2);
  const auto unwatched = network->start(kSource, kOneThread);
  for (const int64_t step : {0, 1, 2}) {
    const std::vector<int64_t> last = {2 + step, 5 + step};
    Floats mean, same;
    const float* logits = decoder->step(last.data(), 1, &mean).logits();
    const float* wanted = unwatched->step(last.data(), 1, &same).logits();
    EXPECT_EQ(Floats(logits, logits + 2 * 41), Floats(wanted, wanted + 2 * 41));
    EXPECT_EQ(mean, same);
    ASSERT_EQ(maps.size(), 2U);
    EXPECT_EQ(maps[0].kind, AttentionKind::decoder);
    EXPECT_EQ(maps[0].keys, step + 1);
    for (const int64_t row : {0, 1})
      expect_looks_at(maps[0], row, std::max<int64_t>(step - 1, 0), step + 1);
    EXPECT_EQ(maps[1].kind, AttentionKind::cross);
    expect_looks_at(maps[1], 0, 0, 4);
    expect_looks_at(maps[1], 1, 0, 2);
    EXPECT_EQ(maps[1].mean(), mean);
  }
}

TEST(LayerMaps, OfARecurrentNetworkAreThoseOfItsHeads) {
  const model::ModelConfig config = testing::small_recurrent();
  const auto network =
      make_network(config, testing::random_recurrent(config, 41), WeightFormat::fp32);
  LayerMaps maps;
  const auto decoder = network->start(kSource, kOneThread, &maps);
  EXPECT_TRUE(maps.empty());
  const std::vector<int64_t> last = {2, 2};
  Floats mean;
  decoder->step(last.data(), 1, &mean);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(std::tuple(maps[0].heads, maps[0].keys), std::tuple(2, 4));
  expect_looks_at(maps[0], 0, 0, 4);
  expect_looks_at(maps[0], 1, 0, 2);
  EXPECT_NE(row_of(maps[0], 0, 0), row_of(maps[0], 0, 1));
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_NEAR(mean[i], (row_of(maps[0], 0, 0)[i] + row_of(maps[0], 0, 1)[i]) / 2, 1e-6);
}

TEST(LayerMaps, HaveTheMeanOfTheirHeads) {
  const LayerMap map{.heads = 2, .keys = 2, .weights = {1, 0, 0.5, 0.5, 0, 1, 0, 1}};
  EXPECT_EQ(map.mean(), (Floats{0.75, 0.25, 0, 1}));
}

}  // namespace
}  // namespace heed::engine
