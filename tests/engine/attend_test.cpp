// Attention to rows that lie anywhere.
#include "engine/attend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/rows/nan_contract.h"
#include "kernels/rows/random_numbers.h"

namespace heed::engine {
namespace {

using kernels::random_numbers;

// Sums in double of what lies at the slots, one of them twice.
TEST(StepRows, AttendToRowsWhereverTheyLie) {
  const std::vector<int32_t> slots = {8, 2, 2, 5, 0};
  const int64_t count = std::ssize(slots);
  for (const int64_t kv_heads : {4, 2, 1}) {
    const HeadShape shape{.heads = 4, .kv_heads = kv_heads, .head = 6, .scale = 0.7F};
    const auto query = random_numbers(24, 3), rows = random_numbers(9 * 2 * shape.shared(), 4);
    std::vector<float> weights(4 * count), context(24);
    attend_row(query.data(), shape, rows.data(), slots.data(), count, {}, weights.data(),
               context.data());
    for (int64_t h = 0; h < 4; ++h) {
      const auto at = [&](int64_t t, int64_t part, int64_t i) -> double {
        return rows[((slots[t] * 2 + part) * kv_heads + h * kv_heads / 4) * 6 + i];
      };
      std::vector<double> wanted;
      double sum = 0;
      for (int64_t t = 0; t < count; ++t) {
        double score = 0;
        for (int64_t i = 0; i < 6; ++i) score += 0.7 * query[h * 6 + i] * at(t, 0, i);
        wanted.push_back(std::exp(score));
        sum += wanted.back();
      }
      for (int64_t t = 0; t < count; ++t)
        EXPECT_NEAR(weights[h * count + t], wanted[t] / sum, 1e-5);
      for (int64_t i = 0; i < 6; ++i) {
        double mixed = 0;
        for (int64_t t = 0; t < count; ++t) mixed += wanted[t] / sum * at(t, 1, i);
        EXPECT_NEAR(context[h * 6 + i], mixed, 1e-5);
      }
    }
  }
}

// A query of ln 3 and keys of 0 and 1: weights 1 : 3.
TEST(StepRows, WeighValuesByTheSoftmaxOfScores) {
  const float query = std::log(3.F), rows[] = {0, 10, 1, 20};  // key, value; key, value
  const int32_t slots[] = {0, 1};
  float weights[2], context;
  attend_row(&query, {.head = 1}, rows, slots, 2, {}, weights, &context);
  EXPECT_NEAR(weights[0], 0.25, 1e-6);
  EXPECT_NEAR(weights[1], 0.75, 1e-6);
  EXPECT_NEAR(context, 17.5, 1e-5);
}

// Distances -3 to 2 with a reach of 1: all but 0 count as -1 or 1. Numbers of ln 1, ln 2 and ln 4
// weigh the six keys by 1, 1, 1, 2, 4, 4; a query of 2 with the scale 1/2 weighs vectors likewise.
TEST(StepRows, DistancesBeyondTheReachCountAsTheReach) {
  const float rows[12] = {};
  const int32_t slots[] = {0, 1, 2, 3, 4, 5};
  const float by_distance[] = {0, std::log(2.F), std::log(4.F)}, none = 0, two = 2;
  const RowDistances of_numbers{.numbers = by_distance, .reach = 1, .first = -3},
      of_vectors{.vectors = by_distance, .reach = 1, .first = -3};
  for (const bool vectors : {false, true}) {
    float weights[6], context;
    attend_row(vectors ? &two : &none, {.head = 1, .scale = 0.5F}, rows, slots, 6,
               vectors ? of_vectors : of_numbers, weights, &context);
    const float wanted[] = {1, 1, 1, 2, 4, 4};
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(weights[i], wanted[i] / 13, 1e-6) << i;
  }
}

// Scores of 0, 2 and 1: sparsemax gives the second one all.
TEST(StepRows, WeighByTheNormaliserOfTheShape) {
  const float query = 1, rows[] = {0, 10, 2, 20, 1, 30};  // key, value; ...
  const int32_t slots[] = {0, 1, 2};
  float weights[3], context;
  attend_row(&query, {.head = 1, .weigh = kernels::sparsemax_row}, rows, slots, 3, {}, weights,
             &context);
  EXPECT_THAT(weights, ::testing::ElementsAre(0, 1, 0));
  EXPECT_EQ(context, 20);
}

// Query 5 sees 0 (global), 1 (of the stride 4), 4, 5 and 6 (the window), not 2, 3 and 7.
TEST(StepRows, SeeWhatASparsePatternShows) {
  const float query = 1, rows[16] = {};
  const int32_t slots[] = {0, 1, 2, 3, 4, 5, 6, 7};
  float weights[8], context;
  attend_row(&query, {.head = 1, .pattern = {.window = 1, .global = 1, .stride = 4}}, rows, slots,
             8, {.first = -5}, weights, &context);
  const float wanted[] = {1, 1, 0, 0, 1, 1, 1, 0};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(weights[i], wanted[i] / 5, 1e-6) << i;
}

TEST(StepRows, AQuarterTurnOfAPair) {
  float x[] = {3, 5, -2, 7};       // two heads of one pair
  const float quarter[] = {0, 1};  // cosine and sine
  rotate_heads(x, 2, 2, quarter);
  EXPECT_THAT(x, ::testing::ElementsAre(-5, 3, -7, -2));
}

TEST(StepRows, NanInIsNanOut) {
  const HeadShape shape{.heads = 4, .kv_heads = 2, .head = 6, .scale = 0.7F};
  const std::vector<int32_t> slots = {3, 0, 2};
  std::vector<std::vector<float>> inputs;
  for (const int64_t size : {24, 4 * 24, 6}) inputs.push_back(random_numbers(size, size));
  kernels::expect_nan_in_is_nan_out(inputs, [&](std::vector<std::vector<float>> in) {
    rotate_heads(in[0].data(), 4, 6, in[2].data());
    std::vector<float> weights(12), out(24);
    attend_row(in[0].data(), shape, in[1].data(), slots.data(), 3, {}, weights.data(), out.data());
    kernels::append(out, weights);
    return out;
  });
}

}  // namespace
}  // namespace heed::engine
