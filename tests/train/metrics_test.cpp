#include "train/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "temporary_folder.h"
#include "train/metrics_line.h"

namespace heed::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MetricsLine, HasWhatTheLineSays) {
  const auto line = parse_metrics(
      R"({"event":"validation","update":7,"loss":2.5,"perplexity":12,"bleu":null,"best":true})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->event, "validation");
  EXPECT_EQ(line->update, 7);
  EXPECT_EQ(line->values[Metric::loss], 2.5);
  EXPECT_EQ(line->perplexity, 12);
  EXPECT_FALSE(line->values[Metric::bleu]);
  EXPECT_TRUE(line->best);
  EXPECT_FALSE(line->last);
  const auto last = parse_metrics(R"({"event":"train","update":3,"bleu":1.5,"last":true})");
  EXPECT_EQ(last->values[Metric::bleu], 1.5);
  EXPECT_TRUE(last->last);
  EXPECT_EQ(parse_metrics(R"({"event":"train","update":3,"loss":null})")->values,
            score::MetricValues());
  const auto training = parse_metrics(
      R"({"event":"train","update":3,"epoch":2,"tokens_per_second":7.5,"learning_rate":1,"left":60.5})");
  EXPECT_EQ(training->epoch, 2);
  EXPECT_EQ(training->speed, 7.5);
  EXPECT_EQ(training->rate, 1);
  EXPECT_EQ(training->left, 60.5);
  const auto further = parse_metrics(
      R"({"event":"further_validation","update":7,"set":"talks","chrf":51,"ter":37,"command":0.5,"seconds":90})");
  EXPECT_EQ(further->set, "talks");
  EXPECT_EQ(further->values,
            (score::MetricValues{{Metric::chrf, 51}, {Metric::ter, 37}, {Metric::command, 0.5}}));
  EXPECT_EQ(further->seconds, 90);
}

TEST(MetricsLine, IsNothingForALineThatIsNoEvent) {
  for (const char* line : {"", "[1]", "null", R"({"event":"train","upda)", R"({"update":3})",
                           R"({"event":7,"update":3})", R"({"event":"train","update":"3"})",
                           R"({"event":"train","update":3,"loss":"low"})",
                           R"({"event":"train","update":3,"last":0})", "{\"event\":\"\xFF\"}"})
    EXPECT_FALSE(parse_metrics(line)) << line;
}

TEST(MetricsLine, OfAFileSayHowFarARunCameAndWhichValidationWasTheBest) {
  const TemporaryFolder folder;
  folder.write("metrics.jsonl", R"({"event":"train","update":4,"seconds":2.5})"
                                "\n[1]\n"
                                R"({"event":"validation","update":4,"loss":3,"best":true})"
                                "\n"
                                R"({"event":"further_validation","update":4,"best":true})"
                                "\n"
                                R"({"event":"validation","update":8,"loss":5})"
                                "\n"
                                R"({"event":"rollback","update":6,"seconds":7})"
                                "\n"
                                R"({"event":"tra)");
  const auto events = read_metrics(folder / "metrics.jsonl");
  EXPECT_EQ(events.size(), 5U);
  const RunMetrics run = summarize(events);
  EXPECT_EQ(run.updates, 8);
  EXPECT_EQ(run.seconds, 7);
  EXPECT_EQ(run.best.update, 4);
  EXPECT_EQ(run.best.values[Metric::loss], 3);
  EXPECT_EQ(summarize({}).best.update, 0);
}

TEST(Metrics, TakenBackToAnUpdateKeepTheEventsUpToItAndNothingElse) {
  const TemporaryFolder folder;
  const std::string kept = R"({"event":"train","update":3,"loss":null})";
  folder.write("metrics.jsonl", kept + "\n" +
                                    R"({"event":"train","update":"four"})"
                                    "\n"
                                    R"({"event":"train","update":5,"last":"yes"})"
                                    "\n"
                                    R"({"event":"train","update":5,"last":true})"
                                    "\n"
                                    R"({"event":"train","update":7})"
                                    "\n"
                                    R"({"event":"tra)");
  Progress progress;
  progress.update = 5;
  Metrics(folder.path()).begins(progress);
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), kept + "\n");
}

// The smoothed loss is 120 / 40, and perplexity is of the other one: e^(80 / 40). 30 of 120 tokens
// are padding.
TEST(Metrics, OfAnIntervalArePerTokenPaddedTokenAndSecond) {
  Progress progress;
  progress.update = 1200;
  progress.epoch = 2;
  progress.seconds = 77;
  progress.interval = {.loss = 120,
                       .nll = 80,
                       .tokens = 40,
                       .real = 90,
                       .padded = 120,
                       .updates = 5,
                       .skipped = 3,
                       .rate = 0.002,
                       .norm = 1.5,
                       .seconds = 8,
                       .waited = 1};
  const LineContext context{.left = 60.5};
  const TemporaryFolder folder;
  Metrics(folder.path()).interval(progress, context);
  const auto line = nlohmann::json::parse(read_file(folder / "metrics.jsonl"));
  const auto number = [&](const char* key) { return line.at(key).get<double>(); };
  EXPECT_EQ(number("update"), 1200);
  EXPECT_EQ(number("epoch"), 3);  // counted from 1
  EXPECT_DOUBLE_EQ(number("loss"), 3);
  EXPECT_DOUBLE_EQ(number("perplexity"), std::exp(2));
  EXPECT_DOUBLE_EQ(number("learning_rate"), 0.002);
  EXPECT_DOUBLE_EQ(number("gradient_norm"), 1.5);
  EXPECT_EQ(number("tokens"), 40);
  EXPECT_DOUBLE_EQ(number("tokens_per_second"), 5);
  EXPECT_DOUBLE_EQ(number("padding"), 0.25);
  EXPECT_DOUBLE_EQ(number("waiting"), 0.125);
  EXPECT_EQ(number("skipped"), 3);
  EXPECT_EQ(number("seconds"), 77);
  EXPECT_EQ(number("left"), 60.5);
  const std::string text = line_text(progress, context);
  EXPECT_THAT(text, HasSubstr("update 1,200 epoch 3 loss 3.000 ppl 7.39 rate 2.00e-03 norm 1.50 "));
  EXPECT_THAT(text, HasSubstr(" padding 25.0% waiting 12.5% skipped 3 left "));
}

/// The line of a validation at update 1,200, and that of a further set.
std::vector<std::string> lines_with(const score::MetricValues& values) {
  Progress progress;
  progress.update = 1200;
  progress.epoch = 2;
  progress.stale = 1;
  progress.seconds = 77;
  Validation validation;
  validation.loss = 0;
  validation.scores.values = values;
  const TemporaryFolder folder;
  Metrics metrics(folder.path());
  metrics.validation(validation, progress);
  metrics.further_validation("talks", validation, progress);
  return split(trim(read_file(folder / "metrics.jsonl")), '\n');
}

TEST(Metrics, OfAValidationHaveTheScoresThatWereComputedAndAPlaceForBleu) {
  const std::string begin =
      R"({"event":"validation","update":1200,"epoch":3,"loss":0.0,"perplexity":1.0,"bleu":)";
  const std::string end = R"(,"best":false,"stale":1,"seconds":77.0)";
  const std::string further =
      R"({"event":"further_validation","update":1200,"set":"talks","loss":0.0,"perplexity":1.0,"seconds":77.0)";
  EXPECT_THAT(lines_with({}), ElementsAre(begin + "null" + end + "}", further + "}"));
  EXPECT_THAT(lines_with({{Metric::bleu, 30.5}, {Metric::chrf, 55.5}, {Metric::command, 0.25}}),
              ElementsAre(begin + "30.5" + end + R"(,"chrf":55.5,"command":0.25})",
                          further + R"(,"bleu":30.5,"chrf":55.5,"command":0.25})"));
  EXPECT_THAT(lines_with({{Metric::ter, 37.5}}),
              ElementsAre(begin + "null" + end + R"(,"ter":37.5})", further + R"(,"ter":37.5})"));
}

TEST(Metrics, OfAValidationAreReadAsTheyWereWritten) {
  for (const score::MetricInfo& each : score::kMetrics) {
    if (each.metric == Metric::loss) continue;  // no score
    for (const std::string& line : lines_with({{each.metric, 12.5}})) {
      const auto read = parse_metrics(line);
      ASSERT_TRUE(read) << line;
      EXPECT_EQ(read->values, (score::MetricValues{{Metric::loss, 0}, {each.metric, 12.5}}))
          << line;
      EXPECT_EQ(read->update, 1200);
    }
  }
}

TEST(Metrics, OfAValidationStandInTheLogInTheOrderOfTheTable) {
  Progress progress;
  progress.update = 1200;
  Validation validation;
  validation.loss = 2.03125;
  const std::string begin = "talks at update 1,200 loss 2.0312 ppl 7.62";
  EXPECT_EQ(outcome_text("talks", validation, progress), begin);
  validation.scores.values = {{Metric::command, 1234.56},
                              {Metric::bleu, 30.125},
                              {Metric::ter, 50},
                              {Metric::chrf, 55.219}};
  EXPECT_EQ(outcome_text("talks", validation, progress),
            begin + " BLEU 30.12 chrF 55.22 TER 50.00 command 1235");
}

}  // namespace
}  // namespace heed::train
