#include <gtest/gtest.h>

#include <cmath>

#include "kernels/rows/recurrence.h"

namespace heed::kernels {
namespace {

// sigmoid(0) = 1/2, sigmoid(log 3) = 3/4, sigmoid(-log 3) = 1/4, tanh(log 2) = 3/5 and, of the new
// cell, tanh(log 3) = 4/5.
TEST(LstmRow, GivesTheWorkedStateAndGradient) {
  const float log2 = std::log(2.0F), log3 = std::log(3.0F);
  const float gates[] = {1, log3 - 1, 2, -log3}, recurrent[] = {-1, 1, log2 - 2, 0};
  const float before = (log3 - 0.3F) / 0.75F;
  float state = 0, cell = 0, kept[4] = {};
  RecurrentRow<float>::lstm(gates, recurrent, &before, &state, &cell, kept, 1);
  EXPECT_NEAR(cell, log3, 1e-6);  // 3/4 c + 1/2 3/5
  EXPECT_NEAR(state, 0.2, 1e-6);  // 1/4 4/5
  const float to_state = 5, to_cell = 0.05F;
  float to_gates[4] = {}, inner = 0;
  RecurrentRow<float>::lstm_gradient(kept, &before, &to_state, &to_cell, to_gates, &inner, 1);
  EXPECT_NEAR(inner, 0.375, 1e-6);                   // (0.05 + 5 1/4 (1 - 16/25)) 3/4 = 1/2 3/4
  EXPECT_NEAR(to_gates[0], 0.075, 1e-6);             // 1/2 3/5 1/2 1/2
  EXPECT_NEAR(to_gates[1], 0.09375 * before, 1e-6);  // 1/2 c 3/4 1/4
  EXPECT_NEAR(to_gates[2], 0.16, 1e-6);              // 1/2 1/2 (1 - 9/25)
  EXPECT_NEAR(to_gates[3], 0.75, 1e-6);              // 5 4/5 1/4 3/4
}

}  // namespace
}  // namespace heed::kernels
