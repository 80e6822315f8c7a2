#include <gtest/gtest.h>

#include "score/bleu_statistics.h"

namespace heed::score {
namespace {

TEST(Proportion, HasWilsonsInterval) {
  const Proportion quarter{.hits = 1,
                           .of = 4};  // (0.25 + z2/8 -+ z sqrt(0.25*0.75/4 + z2/64)) / (1 + z2/4)
  EXPECT_NEAR(quarter.interval().low, 0.045587, 1e-6);
  EXPECT_NEAR(quarter.interval().high, 0.699359, 1e-6);
  const Proportion all{.hits = 7, .of = 7};
  EXPECT_NEAR(all.interval().low, 7 / (7 + 3.841459), 1e-6);
  EXPECT_EQ(all.interval().high, 1);
  EXPECT_EQ(Proportion{}.value(), 0);
  EXPECT_EQ(Proportion{}.interval().high, 1);
}

// 100 * (57 / 100.0) is below 57.
TEST(Proportion, ReachesThePercentThatItHas) {
  for (std::size_t hits = 0; hits <= 100; ++hits) {
    const auto percent = static_cast<double>(hits);
    for (const std::size_t times : {1, 3, 7}) {
      const Proportion share{.hits = times * hits, .of = times * 100};
      EXPECT_TRUE(share.reaches(percent)) << share.hits << " of " << share.of;
      EXPECT_FALSE(share.reaches(percent + 0.01)) << share.hits << " of " << share.of;
    }
  }
  EXPECT_TRUE(Proportion{}.reaches(0));
  EXPECT_FALSE(Proportion{}.reaches(0.01));
}

// x * 100 / 100 is above x for some numbers x.
TEST(AtLeastPercent, EveryNumberIsAHundredPercentOfItself) {
  for (int i = 1; i <= 1000; ++i) {
    const double number = i / 7.0;
    EXPECT_TRUE(at_least_percent(number, 100, number)) << i;
    EXPECT_FALSE(at_least_percent(number, 100.01, number)) << i;
  }
  EXPECT_TRUE(at_least_percent(15, 30, 50));
  EXPECT_FALSE(at_least_percent(14.9, 30, 50));
}

}  // namespace
}  // namespace heed::score
