// The promises of each row of score/metrics.def to those who read it.
#include "score/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace heed::score {
namespace {

using ::testing::IsSupersetOf;

TEST(Metrics, AreFoundByTheirPlacesInTheTable) {
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    EXPECT_EQ(index_of(kMetrics[i].metric), i);
    EXPECT_EQ(&info_of(kMetrics[i].metric), &kMetrics[i]);
    EXPECT_EQ(config::name_of(kMetrics[i].metric), kMetrics[i].key);
  }
}

// The other keys of a line of metrics.jsonl, and of the page's series.
TEST(Metrics, HaveKeysThatMeanNothingElseInALine) {
  std::set<std::string> taken{"event",         "update",
                              "epoch",         "perplexity",
                              "learning_rate", "gradient_norm",
                              "tokens",        "padding",
                              "waiting",       "skipped",
                              "seconds",       "left",
                              "last",          "set",
                              "best",          "stale",
                              "speed",         "rate",
                              "align",         "cover",
                              "rate_factor",   "tokens_per_second"};
  for (const MetricInfo& each : kMetrics) EXPECT_TRUE(taken.insert(each.key).second) << each.key;
}

TEST(Metrics, HaveTextsForPeople) {
  std::set<std::string> labels;
  for (const MetricInfo& each : kMetrics) {
    EXPECT_TRUE(labels.insert(each.label).second) << each.key;
    EXPECT_NE(std::string(each.axis), "") << each.key;
    EXPECT_GE(each.decimals, each.brief) << each.key;
    EXPECT_GE(each.brief, 0) << each.key;
    for (const std::string text : {each.label, each.axis})  // of JSON within a page's program
      EXPECT_EQ(text.find_first_of("'\\<"), std::string::npos) << text;
  }
}

TEST(Metrics, OfSacrebleuAreKnownByTheirKeysAndByItsNames) {
  EXPECT_THAT(sacrebleu_keys(), IsSupersetOf({"bleu", "chrf", "ter"}));
  for (const std::string& key : sacrebleu_keys()) {
    const auto metric = sacrebleu_metric(key);
    ASSERT_TRUE(metric) << key;
    EXPECT_EQ(config::name_of(*metric), key);
    EXPECT_EQ(metric_named(info_of(*metric).label), metric) << key;
  }
  EXPECT_EQ(metric_named("chrF2++"), Metric::chrf);
  EXPECT_EQ(metric_named("TER"), Metric::ter);
  for (const char* other : {"", "loss", "command", "comet"}) {
    EXPECT_FALSE(sacrebleu_metric(other)) << other;
    EXPECT_FALSE(metric_named(other)) << other;
  }
}

TEST(MetricValues, HoldANumberForEachMetric) {
  MetricValues values{{Metric::chrf, 55}};
  for (const MetricInfo& each : kMetrics) {
    EXPECT_EQ(values[each.metric].has_value(), each.metric == Metric::chrf) << each.key;
    values[each.metric] = static_cast<double>(index_of(each.metric));
  }
  const MetricValues& filled = values;
  for (const MetricInfo& each : kMetrics) EXPECT_EQ(filled[each.metric], index_of(each.metric));
  EXPECT_NE(values, MetricValues());
}

}  // namespace
}  // namespace heed::score
