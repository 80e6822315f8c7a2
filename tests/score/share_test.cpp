#include "score/share.h"

#include <gtest/gtest.h>

namespace heed::score {
namespace {

TEST(Share, HasWilsonsInterval) {
  const Share quarter{.hits = 1,
                      .of = 4};  // (0.25 + z2/8 -+ z sqrt(0.25*0.75/4 + z2/64)) / (1 + z2/4)
  EXPECT_NEAR(quarter.interval().low, 0.045587, 1e-6);
  EXPECT_NEAR(quarter.interval().high, 0.699359, 1e-6);
  const Share all{.hits = 7, .of = 7};
  EXPECT_NEAR(all.interval().low, 7 / (7 + 3.841459), 1e-6);
  EXPECT_EQ(all.interval().high, 1);
  EXPECT_EQ(Share{}.value(), 0);
  EXPECT_EQ(Share{}.interval().high, 1);
}

}  // namespace
}  // namespace heed::score
