#include "model/transformer/positions/positions.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/transformer/multi_head.h"

namespace heed::model {
namespace {

TEST(Positions, SinusoidsAreThoseOfThePaper) {
  const Tensor table = sinusoids(0, 3, 4);
  // The exponent is 2i / 4, where 2i is the column: frequencies 1 and 1/100.
  const Tensor expected = at::tensor({0.0, 1.0, 0.0, 1.0,                      //
                                      0.84147, 0.54030, 0.0099998, 0.99995,    //
                                      0.90930, -0.41615, 0.0199987, 0.99980},  //
                                     at::kFloat)
                              .view({3, 4});
  EXPECT_TRUE(at::allclose(table, expected, 0, 1e-5)) << table;
}

TEST(Positions, SinusoidsAtWidth512HaveTheExponentOfTheColumn) {
  const Tensor row = sinusoids(10, 1, 512)[0];
  EXPECT_NEAR(row[256].item<double>(), std::sin(10 / 100.0), 1e-6);
  EXPECT_NEAR(row[511].item<double>(), std::cos(10 / std::pow(10000, 510.0 / 512)), 1e-6);
}

TEST(Positions, AnOddWidthEndsWithASine) {
  const Tensor table = sinusoids(1, 1, 3);
  EXPECT_EQ(table.size(1), 3);
  EXPECT_NEAR(table[0][2].item<double>(), std::sin(1 / std::pow(10000, 2.0 / 3)), 1e-6);
}

TEST(Positions, BeyondTheUsualLengthTheTableGoesOn) {
  const PositionTable table(&sinusoids, 6);
  EXPECT_TRUE(at::equal(table.rows(1020, 9), sinusoids(1020, 9, 6)));
  EXPECT_TRUE(at::equal(table.rows(5000, 1), sinusoids(5000, 1, 6)));
  EXPECT_TRUE(at::allclose(table.rows(1020, 4), sinusoids(1020, 4, 6)));
}

PositionsPtr made(const std::string& name, const PositionsSize& size) {
  at::manual_seed(5);
  return make_positions(name, size);
}

TEST(Positions, SinusoidalOnesAreNoWeightsAndNeverEnd) {
  const PositionsPtr positions = made("sinusoidal", {.width = 6, .longest = 4});
  EXPECT_TRUE(positions->parameters().empty());
  EXPECT_TRUE(positions->buffers().empty());
  EXPECT_EQ(positions->longest(), std::numeric_limits<int64_t>::max());
  const Tensor added = positions->add(at::ones({2, 3, 6}), 7);
  EXPECT_TRUE(at::allclose(added[1], sinusoids(7, 3, 6) + 1));
}

TEST(Positions, LearnedOnesEndWithAClearError) {
  const PositionsPtr positions = made("learned", {.width = 6, .longest = 4});
  EXPECT_EQ(positions->longest(), 4);
  EXPECT_TRUE(
      at::allclose(positions->add(at::zeros({1, 1, 6}), 3)[0][0], positions->parameters()[0][3]));
  try {
    positions->add(at::zeros({1, 3, 6}), 2);
    FAIL() << "five positions of four";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("5 pieces"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("model.max_positions"), std::string::npos);
  }
}

TEST(Positions, RotaryTurnsPairsByTheirAngle) {
  const PositionsPtr rotary = made("rotary", {.width = 4});
  const Tensor x = at::tensor({1.0, 0.0, 0.0, 2.0}, at::kFloat).view({1, 1, 1, 4});
  const Tensor now = turned(x, rotary->rotations(1, 1)).flatten();
  const Tensor expected = at::tensor(
      {std::cos(1.0), std::sin(1.0), -2 * std::sin(0.01), 2 * std::cos(0.01)}, at::kFloat);
  EXPECT_TRUE(at::allclose(now, expected, 0, 1e-6)) << now;
}

TEST(Positions, RotaryProductsKnowTheDistanceAlone) {
  const PositionsPtr rotary = made("rotary", {.width = 6});
  const Tensor query = at::randn({1, 1, 1, 6}), key = at::randn({1, 1, 1, 6});
  const auto product = [&](int64_t at, int64_t other) {
    return (turned(query, rotary->rotations(at, 1)) * turned(key, rotary->rotations(other, 1)))
        .sum()
        .item<double>();
  };
  EXPECT_NEAR(product(3, 1), product(902, 900), 1e-4);
  EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
}

TEST(Positions, TablesFollowTheirOwnerToDoublePrecision) {
  const PositionsPtr rotary = made("rotary", {.width = 4});
  rotary->to(at::kDouble);
  EXPECT_EQ(turned(at::ones({1, 2, 1, 4}, at::kDouble), rotary->rotations(0, 1)).scalar_type(),
            at::kDouble);
  const PositionsPtr sinusoidal = made("sinusoidal", {.width = 4});
  sinusoidal->to(at::kDouble);
  EXPECT_EQ(sinusoidal->add(at::ones({1, 2, 4}, at::kDouble), 0).scalar_type(), at::kDouble);
  const PositionsPtr alibi = made("alibi", {.width = 4});
  alibi->to(at::kDouble);
  EXPECT_EQ(alibi->by_distance(0, 3).numbers.scalar_type(), at::kDouble);
}

TEST(Positions, RotaryNeedsAnEvenWidth) {
  EXPECT_THROW(made("rotary", {.width = 5}), Bug);
}

void expect_equal(const Tensor& found, const std::vector<double>& expected) {
  const Tensor wanted = at::tensor(expected, at::kDouble);
  EXPECT_LT((found.to(at::kDouble).flatten() - wanted).abs().max().item<double>(), 1e-6) << found;
}

TEST(Positions, AlibiFallsWithTheDistance) {
  const PositionsPtr two = made("alibi", {.width = 4, .heads = 2});
  EXPECT_TRUE(two->parameters().empty());
  const ScoresByDistance scores = two->by_distance(0, 3);
  EXPECT_EQ(scores.reach, 2);
  expect_equal(scores.numbers[0], {-2. / 16, -1. / 16, 0, -1. / 16, -2. / 16});
  expect_equal(scores.numbers[1], {-2. / 256, -1. / 256, 0, -1. / 256, -2. / 256});
  // Eight heads: 1/2, 1/4, ..., 1/256. Three: those of two, then the first of four, 1/4.
  const auto slopes = [](int64_t heads) {
    return -made("alibi", {.width = heads, .heads = heads})->by_distance(0, 2).numbers.select(1, 0);
  };
  expect_equal(slopes(8), {1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 32, 1. / 64, 1. / 128, 1. / 256});
  expect_equal(slopes(3), {1. / 16, 1. / 256, 1. / 4});
}

TEST(Positions, T5HasABucketOfEachShortDistanceAndWiderOnesBehind) {
  for (const bool causal : {false, true}) {
    const PositionsPtr t5 = made("t5", {.width = 2, .heads = 1, .causal = causal});
    const Tensor weight = t5->parameters()[0].detach();
    {
      const at::NoGradGuard no_grad;
      t5->parameters()[0].copy_(at::arange(32).unsqueeze(1));  // each bucket is its number
    }
    const ScoresByDistance scores = t5->by_distance(0, 1000);
    EXPECT_EQ(scores.reach, 128);
    const auto bucket = [&](int64_t distance) {
      return scores.numbers[0][distance + 128].item<int64_t>();
    };
    // The numbers of the published code.
    if (causal) {
      EXPECT_EQ(bucket(5), 0);  // nobody looks ahead
      EXPECT_EQ(bucket(0), 0);
      EXPECT_EQ(bucket(-15), 15);
      EXPECT_EQ(bucket(-16), 16);
      EXPECT_EQ(bucket(-20), 17);
      EXPECT_EQ(bucket(-64), 26);
      EXPECT_EQ(bucket(-128), 31);
    } else {
      EXPECT_EQ(bucket(-7), 7);
      EXPECT_EQ(bucket(7), 23);
      EXPECT_EQ(bucket(-8), 8);
      EXPECT_EQ(bucket(8), 24);
      EXPECT_EQ(bucket(12), 25);
      EXPECT_EQ(bucket(-64), 14);
      EXPECT_EQ(bucket(128), 31);
    }
  }
}

// A query and its numbers by distance, and the same as one score for each key.
TEST(Positions, ByDistanceAndByKeyAreTheSame) {
  for (const std::string name : {"alibi", "t5", "relative"}) {
    const PositionsPtr positions = made(name, {.width = 12, .heads = 3, .layers = 2, .longest = 4});
    positions->to(at::kDouble);
    const ScoresByDistance scores = positions->by_distance(1, 40);
    const Tensor query = at::randn({1, 3, 40, 4}, at::kDouble);
    const Tensor by_key = added_scores(scores, query, 0.5, 0, 0, 40);
    const Tensor by_distance = numbers_by_distance(scores, query[0].transpose(0, 1), 0.5);
    for (const int64_t i : {0, 7, 39})
      for (const int64_t j : {0, 3, 39}) {
        const int64_t index = std::clamp(j - i, -scores.reach, scores.reach) + scores.reach;
        const int64_t row = by_distance.size(0) == 1 ? 0 : i;
        EXPECT_TRUE(
            at::equal(by_key[0].select(1, i).select(1, j), by_distance[row].select(1, index)))
            << name << i << j;
      }
    // One step: the last query alone, of the keys from 5 on.
    EXPECT_TRUE(at::allclose(added_scores(scores, query.narrow(2, 39, 1), 0.5, 39, 5, 35),
                             by_key.narrow(2, 39, 1).narrow(3, 5, 35)));
  }
}

TEST(Positions, RelativeVectorsAreOfALayer) {
  const PositionsPtr relative = made("relative", {.width = 8, .heads = 2, .layers = 3});
  EXPECT_EQ(relative->parameters()[0].sizes(), at::IntArrayRef({3, 33, 4}));
  EXPECT_TRUE(
      at::equal(relative->by_distance(2, 5).vectors, relative->parameters()[0].select(0, 2)));
}

TEST(Positions, DoWhatTheirLineSays) {
  for (const PositionsKindInfo& kind : positions_kinds()) {
    const PositionsPtr positions = made(kind.name, {.width = 8, .heads = 2, .longest = 9});
    EXPECT_EQ(positions->vectors(0, 3).defined(), kind.effect == PositionsEffect::kEmbeds)
        << kind.name;
    EXPECT_EQ(positions->rotations(0, 3).defined(), kind.effect == PositionsEffect::kRotates)
        << kind.name;
    EXPECT_EQ(positions->by_distance(0, 3).any(), kind.effect == PositionsEffect::kAddsScores)
        << kind.name;
  }
}

/// ALiBi whose slopes are 0.
class Flat : public Positions {
 public:
  ScoresByDistance by_distance(int64_t layer, int64_t length) const override {
    ScoresByDistance scores = alibi_->by_distance(layer, length);
    scores.numbers = scores.numbers * 0;
    return scores;
  }

 private:
  PositionsPtr alibi_ = make_positions("alibi", {.width = 8, .heads = 4});
};

std::shared_ptr<const Positions> flat(const std::string& name) {
  if (name == "alibi") return std::make_shared<Flat>();
  const PositionsPtr positions = make_positions(name, {.width = 8, .heads = 4});
  for (const Tensor& weight : positions->parameters()) weight.zero_();
  return positions;
}

// Unpadded, padded, with weights and step by step.
TEST(Positions, ScoresOfZeroAreNoPositions) {
  const at::NoGradGuard no_grad;
  for (const std::string name : {"alibi", "relative", "t5"}) {
    const auto same = [&](bool causal, const auto& run) {
      const auto attention = [&](std::shared_ptr<const Positions> positions) {
        at::manual_seed(6);
        const MultiHeadOptions options{
            .width = 8, .heads = 4, .kv_heads = 2, .pattern = {.causal = causal}};
        return make_self_attention(options, {.positions = std::move(positions)});
      };
      const SelfAttentionPtr with = attention(flat(name)), without = attention(nullptr);
      const Tensor expected = run(*without);
      EXPECT_LT((run(*with) - expected).abs().max().template item<double>(), 1e-6) << name;
      EXPECT_GT(expected.abs().max().template item<double>(), 1e-2);
    };
    const std::vector<int64_t> lengths{5, 1, 3};
    const Tensor x = at::randn({3, 5, 8});
    const SentenceLayout unpadded = sentence_layout(lengths, 5, at::kCPU);
    const SentenceLayout padded{.valid = real_positions(unpadded).unsqueeze(1).unsqueeze(1)};
    for (const bool causal : {false, true}) {
      same(causal, [&](SelfAttention& one) {
        return one.forward(remove_padding(x, unpadded), unpadded, nullptr);
      });
      const SentenceLayout own = causal ? SentenceLayout{} : padded;
      same(causal, [&](SelfAttention& one) { return one.forward(x, own, nullptr); });
      same(causal, [&](SelfAttention& one) {
        Tensor weights;
        one.forward(x, own, &weights);
        return weights;
      });
    }
  }
}

TEST(Positions, UnknownOnesAreRefused) {
  EXPECT_THROW(positions_info("alibis"), UserError);
}

}  // namespace
}  // namespace heed::model
