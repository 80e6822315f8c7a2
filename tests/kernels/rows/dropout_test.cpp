#include "kernels/rows/dropout.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed::kernels {
namespace {

TEST(DropNumbers, IsAFunctionOfSeedAndIndex) {
  const std::vector<float> ones(1000, 1);
  std::vector<float> whole(1000), parts(1000), sum(1000);
  const Mask mask(12345, 0.25);
  drop_numbers(nullptr, ones.data(), whole.data(), 0, 1000, mask);
  drop_numbers(nullptr, ones.data(), parts.data(), 0, 333, mask);
  drop_numbers(nullptr, ones.data(), parts.data(), 333, 1000, mask);
  drop_numbers(ones.data(), ones.data(), sum.data(), 0, 1000, mask);
  EXPECT_EQ(whole, parts);
  int kept = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_TRUE(whole[i] == 0 || whole[i] == static_cast<float>(1 / 0.75));
    EXPECT_EQ(sum[i], 1 + whole[i]);
    kept += whole[i] > 0 ? 1 : 0;
  }
  EXPECT_NEAR(kept, 750, 42);  // three deviations
}

// Computed once with Python's integers: the same on every processor.
TEST(DropNumbers, KeepsTheSameNumbersEverywhere) {
  const Mask mask(1, 0.5);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < 32; ++i) kept |= (mask(i) > 0 ? 1U : 0U) << i;
  EXPECT_EQ(kept, 0x2442A8B2U);
}

}  // namespace
}  // namespace heed::kernels
