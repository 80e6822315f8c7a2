#include <gtest/gtest.h>

#include <cmath>

#include "kernels/rows/numbers.h"
#include "kernels/rows/recurrence.h"

namespace heed::kernels {
namespace {

// sigmoid(0) = 1/2, sigmoid(log 3) = 3/4, and n = tanh(0 + 1/2 2 log 2) = 3/5.
TEST(GruRow, GivesTheWorkedStateAndGradient) {
  const float log2 = std::log(2.0F), log3 = std::log(3.0F);
  const float gates[] = {2, log3 - 1, 0}, recurrent[] = {-2, 1, 2 * log2}, before = 1;
  float state = 0, kept[4] = {};
  RecurrentRow<float>::gru(gates, recurrent, &before, &state, kept, 1);
  EXPECT_NEAR(state, 0.9, 1e-6);  // 3/5 + 3/4 (1 - 3/5)
  const float outer = 10;
  float to_gates[3] = {}, to_recurrent[3] = {}, inner = 0;
  RecurrentRow<float>::gru_gradient(kept, &before, &outer, to_gates, to_recurrent, &inner, 1);
  EXPECT_NEAR(inner, 7.5, 1e-5);
  EXPECT_NEAR(to_gates[2], 1.6, 1e-5);                 // 10 1/4 (1 - 9/25)
  EXPECT_NEAR(to_gates[1], 0.75, 1e-5);                // 10 (1 - 3/5) 3/4 1/4
  EXPECT_NEAR(to_gates[0], 1.6 * 2 * log2 / 4, 1e-5);  // through r: 1.6 u 1/2 1/2
  EXPECT_EQ(to_recurrent[0], to_gates[0]);
  EXPECT_EQ(to_recurrent[1], to_gates[1]);
  EXPECT_NEAR(to_recurrent[2], 0.8, 1e-5);  // 1.6 r
}

TEST(GruRow, InBf16RoundsWhatItReadsAndWrites) {
  uint16_t gates[21], recurrent[21], kept[28];
  float before[7], state[7], plain_gates[21], plain_recurrent[21], plain_kept[28], plain_state[7];
  for (int i = 0; i < 21; ++i) {
    gates[i] = narrowed(0.25F * static_cast<float>(i - 10));
    recurrent[i] = narrowed(0.5F - 0.125F * static_cast<float>(i));
    plain_gates[i] = widened(gates[i]);
    plain_recurrent[i] = widened(recurrent[i]);
  }
  for (int i = 0; i < 7; ++i) before[i] = static_cast<float>(i) - 3;
  RecurrentRow<uint16_t>::gru(gates, recurrent, before, state, kept, 7);
  RecurrentRow<float>::gru(plain_gates, plain_recurrent, before, plain_state, plain_kept, 7);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(state[i], plain_state[i], 1e-6);
  for (int i = 0; i < 28; ++i) EXPECT_NEAR(widened(kept[i]), plain_kept[i], 0.01);
}

}  // namespace
}  // namespace heed::kernels
