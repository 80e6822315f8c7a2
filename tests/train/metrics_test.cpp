#include "train/metrics.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "temporary_folder.h"
#include "train/metrics_line.h"

namespace heed::train {
namespace {

TEST(MetricsLine, HasWhatTheLineSays) {
  const auto line = parse_metrics(
      R"({"event":"validation","update":7,"loss":2.5,"perplexity":12,"bleu":null,"best":true})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->event, "validation");
  EXPECT_EQ(line->update, 7);
  EXPECT_EQ(line->loss, 2.5);
  EXPECT_EQ(line->perplexity, 12);
  EXPECT_FALSE(line->bleu);
  EXPECT_TRUE(line->best);
  EXPECT_FALSE(line->last);
  EXPECT_EQ(parse_metrics(R"({"event":"train","update":3,"bleu":1.5,"last":true})")->bleu, 1.5);
  EXPECT_FALSE(parse_metrics(R"({"event":"train","update":3,"loss":null})")->loss);
  const auto training = parse_metrics(
      R"({"event":"train","update":3,"epoch":2,"tokens_per_second":7.5,"learning_rate":1,"left":60.5})");
  EXPECT_EQ(training->epoch, 2);
  EXPECT_EQ(training->speed, 7.5);
  EXPECT_EQ(training->rate, 1);
  EXPECT_EQ(training->left, 60.5);
  const auto further = parse_metrics(
      R"({"event":"further_validation","update":7,"set":"talks","chrf":51,"command":0.5,"seconds":90})");
  EXPECT_EQ(further->set, "talks");
  EXPECT_EQ(further->chrf, 51);
  EXPECT_EQ(further->command, 0.5);
  EXPECT_EQ(further->seconds, 90);
}

TEST(MetricsLine, IsNothingForALineThatIsNoEvent) {
  for (const char* line : {"", "[1]", "null", R"({"event":"train","upda)", R"({"update":3})",
                           R"({"event":7,"update":3})", R"({"event":"train","update":"3"})",
                           R"({"event":"train","update":3,"loss":"low"})",
                           R"({"event":"train","update":3,"last":0})", "{\"event\":\"\xFF\"}"})
    EXPECT_FALSE(parse_metrics(line)) << line;
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
  Metrics(folder.path()).truncate(progress);
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), kept + "\n");
}

}  // namespace
}  // namespace heed::train
