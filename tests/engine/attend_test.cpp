// Attention to rows that lie anywhere against the readable one.
#include "engine/attend.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/rows/nan_contract.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/positions/table.h"

namespace heed::engine {
namespace {

using at::Tensor;

TEST(StepRows, AttendToRowsWhereverTheyLie) {
  at::manual_seed(3);
  for (const int64_t kv_heads : {4, 2, 1}) {
    const HeadShape shape{.heads = 4, .kv_heads = kv_heads, .head = 6, .scale = 0.7F};
    const Tensor query = at::randn({4, 6}), rows = at::randn({9, 2, kv_heads, 6});
    const std::vector<int32_t> slots = {8, 2, 2, 5, 0};
    std::vector<float> weights(4 * slots.size()), context(24);
    attend_row(query.data_ptr<float>(), shape, rows.data_ptr<float>(), slots.data(),
               static_cast<int64_t>(slots.size()), {}, weights.data(), context.data());
    const Tensor seen = rows.index_select(0, at::tensor({8, 2, 2, 5, 0}, at::kLong))
                            .permute({1, 2, 0, 3})
                            .unsqueeze(1);  // [2, 1, kv heads, keys, head]
    Tensor wanted_weights;
    const Tensor wanted =
        model::attend(query.view({1, 4, 1, 6}), seen[0], seen[1], {.scale = 0.7}, &wanted_weights);
    EXPECT_TRUE(at::allclose(at::tensor(context), wanted.flatten(), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(at::tensor(weights), wanted_weights.flatten(), 1e-5, 1e-6));
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

TEST(StepRows, AQuarterTurnOfAPair) {
  float x[] = {3, 5, -2, 7};       // two heads of one pair
  const float quarter[] = {0, 1};  // cosine and sine
  rotate_heads(x, 2, 2, quarter);
  EXPECT_THAT(x, ::testing::ElementsAre(-5, 3, -7, -2));
}

TEST(StepRows, TurnHeadsAsRotaryPositionsDo) {
  at::manual_seed(4);
  const Tensor x = at::randn({1, 1, 3, 8});
  const Tensor wanted =
      model::turned(x, model::make_positions("rotary", {.width = 8})->rotations(11, 1));
  Tensor turned = x.clone();
  const Tensor rotations = at::view_as_real(model::unit_rotations(11, 1, 8)).contiguous();
  rotate_heads(turned.data_ptr<float>(), 3, 8, rotations.data_ptr<float>());
  EXPECT_TRUE(at::allclose(turned, wanted, 1e-5, 1e-6));
}

TEST(StepRows, NanInIsNanOut) {
  const HeadShape shape{.heads = 4, .kv_heads = 2, .head = 6, .scale = 0.7F};
  const std::vector<int32_t> slots = {3, 0, 2};
  std::vector<std::vector<float>> inputs;
  for (const int64_t size : {24, 4 * 24, 6}) {
    const Tensor x = at::randn({size});
    inputs.emplace_back(x.data_ptr<float>(), x.data_ptr<float>() + size);
  }
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
