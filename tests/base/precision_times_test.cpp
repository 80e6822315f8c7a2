#include "base/precision_times.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(PrecisionTimes, FavourBf16WhereItIsClearlyFaster) {
  // Two hundred updates on a processor with AVX512-BF16 alone, and on one with AMX.
  EXPECT_FALSE((PrecisionTimes{.fp32 = 14.0, .bf16 = 20.3}.favour_bf16()));
  EXPECT_TRUE((PrecisionTimes{.fp32 = 14.0, .bf16 = 7.1}.favour_bf16()));
  // What two measurements of the same products may differ by is a tie.
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 1}.favour_bf16()));
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 0.86}.favour_bf16()));
  EXPECT_TRUE((PrecisionTimes{.fp32 = 1, .bf16 = 0.84}.favour_bf16()));
  EXPECT_FALSE(PrecisionTimes{}.favour_bf16());
}

TEST(PrecisionTimes, AreToldInMilliseconds) {
  EXPECT_EQ((PrecisionTimes{.fp32 = 0.01234, .bf16 = 0.008}.text()),
            "12.3 ms in fp32 and 8.0 ms in bf16");
}

// fp32: 3 + 5; bf16: 2 + 1.
TEST(PrecisionTimes, AreTheSumOfTheShortestTimesOfEachPart) {
  const std::vector<std::vector<double>> runs = {{9, 5}, {2, 8}, {3, 6}, {4, 1}, {4, 7}, {3, 3}};
  std::vector<bool> asked;
  const auto run = [&](bool bf16) {
    asked.push_back(bf16);
    return runs.at(asked.size() - 1);
  };
  const PrecisionTimes times = time_precisions(run, /*enough=*/0);
  EXPECT_EQ(times.fp32, 8);
  EXPECT_EQ(times.bf16, 3);
  EXPECT_EQ(asked, (std::vector<bool>{false, true, false, true, false, true}));
}

// The products of a small part of an update take a few milliseconds: one interruption among three
// calls would choose the other precision.
TEST(PrecisionTimes, OfShortPartsAreMeasuredMoreOften) {
  int calls = 0;
  const auto run = [&](bool bf16) {
    const bool is_disturbed = ++calls <= 10;
    return std::vector{bf16 ? 0.9 : is_disturbed ? 1.2 : 1.0};
  };
  const PrecisionTimes times = time_precisions(run, /*enough=*/3600);
  EXPECT_EQ(times.fp32, 1.0);
  EXPECT_EQ(times.bf16, 0.9);
  EXPECT_EQ(calls, 2 * 24);
}

}  // namespace
}  // namespace heed
