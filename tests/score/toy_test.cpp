// The metric that docs/extending.md adds: one file and one line of a table. Nothing else in this
// program knows its name, and metrics_test.cpp holds of it what it holds of every row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "guide.h"
#include "score/metrics.h"

namespace heed::score {
namespace {

TEST(AToyMetric, IsOneOfTheTableWithoutAnotherEdit) {
  EXPECT_STREQ(info_of(Metric::exact).label, "exact");
  EXPECT_EQ(info_of(Metric::exact).better, Better::more);
  EXPECT_DOUBLE_EQ(computed(Metric::exact, {"a", "b c", "d", "e"}, {"a", "b  c", "d", "f"}), 50);
  EXPECT_DOUBLE_EQ(computed(Metric::exact, {}, {}), 0);
  EXPECT_THAT(sacrebleu_keys(), ::testing::Not(::testing::Contains("exact")));
}

TEST(Metrics, OfWhichNoFunctionIsAskedAreABug) {
  EXPECT_THROW(computed(Metric::bleu, {}, {}), Bug);
  EXPECT_THROW(computed(Metric::exact, {"a"}, {}), Bug);
}

TEST(AToyMetric, IsThatOfTheGuide) {
  expect_in_guide("tests/score/toy/exact.cpp");
  expect_in_guide("tests/score/toy/score/metrics.def");
}

}  // namespace
}  // namespace heed::score
