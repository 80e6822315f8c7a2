// How a GPU's time is divided, from kernels that were invented for it.
#include "benchmarks/bench/cost_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::bench {
namespace {

using ::testing::ElementsAre;

constexpr uint64_t kNanoseconds = 1'000'000'000;

TEST(KernelTimes, SumByNameAndFindTheGaps) {
  // a: 1..3, b: 2..5 beside it, a gap of 2, then a: 7..8
  const KernelTimes times = kernel_times({{"a", 7 * kNanoseconds, 8 * kNanoseconds},
                                          {"a", kNanoseconds, 3 * kNanoseconds},
                                          {"b", 2 * kNanoseconds, 5 * kNanoseconds}});
  EXPECT_EQ(times.calls, 3);
  EXPECT_DOUBLE_EQ(times.busy, 5);
  EXPECT_DOUBLE_EQ(times.idle, 2);
  ASSERT_EQ(times.kernels.size(), 2U);
  EXPECT_EQ(times.kernels[0].name, "a");
  EXPECT_DOUBLE_EQ(times.kernels[0].seconds, 3);
  EXPECT_EQ(times.kernels[0].calls, 2);
  EXPECT_DOUBLE_EQ(times.kernels[1].seconds, 3);
}

TEST(KernelTimes, OfOneInsideAnotherCountOnceAsBusy) {
  const KernelTimes times =
      kernel_times({{"long", 0, 9 * kNanoseconds}, {"short", 3 * kNanoseconds, 4 * kNanoseconds}});
  EXPECT_DOUBLE_EQ(times.busy, 9);
  EXPECT_DOUBLE_EQ(times.idle, 0);
}

TEST(KernelTimes, OfNothingAreNone) {
  const KernelTimes times = kernel_times({});
  EXPECT_EQ(times.calls, 0);
  EXPECT_EQ(times.idle, 0);
  EXPECT_TRUE(times.kernels.empty());
}

TEST(KernelTimes, InATableAreThoseOfAnUpdateAndSharesOfTheWhole) {
  CostTables costs;
  costs.add("idle", KernelTimes{}, 4);
  EXPECT_TRUE(costs.kernels.rows.empty());
  costs.add("big",
            kernel_times({{"a", 0, kNanoseconds}, {"b", 3 * kNanoseconds, 4 * kNanoseconds}}), 4);
  EXPECT_THAT(costs.kernels.rows, ElementsAre(ElementsAre("big", "all", "0.5", "500.000", "50.0"),
                                              ElementsAre("big", "none", "0.0", "500.000", "50.0"),
                                              ElementsAre("big", "a", "0.2", "250.000", "25.0"),
                                              ElementsAre("big", "b", "0.2", "250.000", "25.0")));
}

TEST(KernelTimes, InATableAreFortyOfASystemAndTheTenDearestOperations) {
  CostTables costs;
  std::vector<KernelRun> runs;
  std::vector<OperationCost> operations;
  for (uint64_t i = 0; i < 50; ++i) {
    runs.push_back({std::to_string(i), i, i + 1});
    operations.push_back({.name = "aten::mm", .seconds = 0.5, .calls = 3});
  }
  costs.add("one", kernel_times(runs), 1);
  costs.add("one", operations);
  EXPECT_EQ(costs.kernels.rows.size(), 42U);
  ASSERT_EQ(costs.operations.rows.size(), 10U);
  EXPECT_THAT(costs.operations.rows[0], ElementsAre("one", "aten::mm", "3", "0.5000", "2.0"));
}

TEST(FittedExponent, IsTheSlopeInLogarithms) {
  EXPECT_NEAR(fitted_exponent({1, 2, 4}, {3, 12, 48}), 2, 1e-12);
  EXPECT_NEAR(fitted_exponent({10, 1000}, {5, 5}), 0, 1e-12);
  // Least squares over x = 1, 2, 4 of y = 1, 2, 2: the slope of (0, 0), (1, 1), (2, 1).
  EXPECT_NEAR(fitted_exponent({1, 2, 4}, {1, 2, 2}), 0.5, 1e-12);
  EXPECT_THROW(fitted_exponent({3, 3}, {1, 2}), Bug);
}

}  // namespace
}  // namespace heed::bench
