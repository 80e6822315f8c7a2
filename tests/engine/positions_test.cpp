// Positions in plain numbers, worked by hand. That networks of tensors have the same is tested by
// tests/model/transformer/positions_test.cpp, and whole engines against them.
#include "engine/positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "engine/random_weights.h"
#include "kernels/rows/positions.h"

namespace heed::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

/// Positions of width 6 with 2 heads, 2 layers and at most 5 positions; `weight`: what a kind has
/// learned.
StackPositions positions_of(const std::string& kind, const Array& weight = {},
                            bool decoder = false) {
  model::ModelConfig config;
  config.width = 6;
  config.heads = 2;
  config.encoder_layers = 2;
  config.max_positions = 5;
  config.positions = kind;
  const std::string name = decoder ? "target_positions.weight" : "source_positions.weight";
  return {config, Weights({{name, weight}}), decoder};
}

MATCHER(IsNear, "") {
  return std::abs(std::get<0>(arg) - std::get<1>(arg)) < 1e-6;
}

/// Rows of `size` numbers, one after another.
Floats rows_of(const StackPositions& positions, int64_t first, int64_t count, int64_t size) {
  Floats all, room;
  for (int64_t position = first; position < first + count; ++position) {
    const float* row = positions.row(position, room);
    all.insert(all.end(), row, row + size);
  }
  return all;
}

// Two before the 256 that are kept end, and two after.
TEST(StackPositions, SinusoidsAreSinesAndCosinesOfSlowerAndSlowerAngles) {
  const StackPositions positions = positions_of("sinusoidal");
  EXPECT_EQ(positions.effect(), model::PositionsEffect::kEmbeds);
  Floats wanted;
  for (const double position : {254., 255., 256., 257.})
    for (const double rate : {1., std::pow(10000, -1. / 3), std::pow(10000, -2. / 3)})
      for (const double wave : {std::sin(position * rate), std::cos(position * rate)})
        wanted.push_back(static_cast<float>(wave));
  EXPECT_THAT(rows_of(positions, 254, 4, 6), Pointwise(IsNear(), wanted));
  Floats odd(3);
  kernels::sinusoids(1, 1, 3, odd.data());
  EXPECT_THAT(odd, Pointwise(IsNear(), Floats{0.841471F, 0.540302F, 0.002154F}));
}

// f(i) = 10000^(-i / 2) for a width of 6; the last column of an odd width is 0.
TEST(StackPositions, ThoseOfTensor2tensorHaveAllSinesBeforeAllCosines) {
  const StackPositions positions = positions_of("tensor2tensor");
  EXPECT_EQ(positions.effect(), model::PositionsEffect::kEmbeds);
  Floats wanted;
  for (const double position : {0., 257.})
    for (const bool sine : {true, false})
      for (const double rate : {1., 0.01, 0.0001})
        wanted.push_back(
            static_cast<float>(sine ? std::sin(position * rate) : std::cos(position * rate)));
  Floats rows = rows_of(positions, 0, 1, 6);
  const Floats last = rows_of(positions, 257, 1, 6);
  rows.insert(rows.end(), last.begin(), last.end());
  EXPECT_THAT(rows, Pointwise(IsNear(), wanted));
  Floats odd(5);
  kernels::halved_sinusoids(1, 1, 5, odd.data());
  EXPECT_THAT(odd, Pointwise(IsNear(), Floats{0.841471F, 0.0001F, 0.540302F, 1, 0}));
}

TEST(StackPositions, RotationsAreOfTheHeadsWidth) {
  model::ModelConfig config = testing::small_transformer();
  config.positions = "rotary";
  const StackPositions rotary(config, Weights({}), true);
  EXPECT_EQ(rotary.effect(), model::PositionsEffect::kRotates);
  const auto c = [](double x) { return static_cast<float>(std::cos(x)); };
  const auto s = [](double x) { return static_cast<float>(std::sin(x)); };
  const Floats wanted = {c(1), s(1), c(0.01), s(0.01), c(2), s(2), c(0.02), s(0.02)};
  EXPECT_THAT(rows_of(rotary, 1, 2, 4), Pointwise(IsNear(), wanted));
}

TEST(StackPositions, LearnedOnesEndWhereTheirTableDoes) {
  const Array table = testing::random_array({5, 6}, 1);
  const StackPositions learned = positions_of("learned", table);
  EXPECT_EQ(rows_of(learned, 1, 4, 6), Floats(table.data + 6, table.data + 30));
  Floats room;
  EXPECT_THROW(learned.row(5, room), Bug);
}

// Slopes of two heads: 2^-4 and 2^-8.
TEST(StackPositions, AlibiFallsToBothSides) {
  const LayerDistances both = positions_of("alibi").by_distance(0, 3, {0, 1});
  EXPECT_EQ(both.reach, 2);
  EXPECT_THAT(both.numbers, ElementsAre(-1. / 8, -1. / 16, 0, -1. / 16, -1. / 8,  //
                                        -1. / 128, -1. / 256, 0, -1. / 256, -1. / 128));
  EXPECT_THAT(positions_of("alibi").by_distance(0, 2, {1}).numbers,
              ElementsAre(-1. / 256, 0, -1. / 256));
  EXPECT_THAT(kernels::alibi_slopes(3), ElementsAre(1. / 16, 1. / 256, 1. / 4));
}

TEST(StackPositions, RelativeOnesHaveVectorsOfEachLayer) {
  const Array table = testing::random_array({2, 33, 3}, 2);
  const LayerDistances second = positions_of("relative", table).by_distance(1, 4, {0, 1});
  EXPECT_EQ(second.reach, 16);
  EXPECT_EQ(second.vectors, Floats(table.data + 99, table.data + 198));
  EXPECT_THAT(second.numbers, IsEmpty());
}

// 16 buckets of each side in an encoder: 8 of one distance, then wider ones; 32 in a decoder.
TEST(StackPositions, BucketsOfT5WidenWithTheDistance) {
  const auto buckets = [](bool causal) {
    std::vector<int64_t> all;
    for (const int64_t distance : {-500, -128, -20, -16, -8, -7, -1, 0, 1, 8, 500})
      all.push_back(kernels::t5_bucket(distance, causal));
    return all;
  };
  EXPECT_THAT(buckets(false), ElementsAre(15, 15, 10, 10, 8, 7, 1, 0, 17, 24, 31));
  EXPECT_THAT(buckets(true), ElementsAre(31, 31, 17, 16, 8, 7, 1, 0, 0, 0, 0));
  const Array table = testing::random_array({32, 2}, 3);
  const LayerDistances of_second = positions_of("t5", table, true).by_distance(3, 2, {1});
  EXPECT_THAT(of_second.numbers, ElementsAre(table.data[3], table.data[1], table.data[1]));
}

TEST(StackPositions, OfNoneAreNothing) {
  const StackPositions none = positions_of("none");
  EXPECT_EQ(none.effect(), model::PositionsEffect::kNothing);
  EXPECT_TRUE(none.by_distance(0, 3, {0}).numbers.empty());
  EXPECT_TRUE(has_positions("none"));
  EXPECT_FALSE(has_positions("kerple"));
}

}  // namespace
}  // namespace heed::engine
