#include "score/config.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "config/sound_schema.h"
#include "message.h"

namespace heed::score {
namespace {

std::string wrong(const EvaluationConfig& config) {
  return message_of<config::ConfigError>([&] { check(config); });
}

TEST(EvaluationConfig, IsASoundSchemaWhoseDefaultsPass) {
  config::expect_sound_schema<EvaluationConfig>("evaluation");
  EXPECT_EQ(wrong({}), "(nothing thrown)");
}

TEST(EvaluationConfig, MetricsAreKnownAndGivenOnce) {
  const std::string known = join(sacrebleu_keys(), ", ");
  EXPECT_EQ(wrong({.metrics = {"ter", "bleu", "chrf"}}), "(nothing thrown)");
  EXPECT_EQ(wrong({.metrics = {"blue"}}),
            "evaluation.metrics: unknown value 'blue'; did you mean 'bleu'?");
  EXPECT_EQ(wrong({.metrics = {"comet"}}),
            "evaluation.metrics: unknown value 'comet'; allowed: " + known);
  EXPECT_EQ(wrong({.metrics = {"loss"}}),  // not of a translation
            "evaluation.metrics: unknown value 'loss'; allowed: " + known);
  EXPECT_EQ(metrics_help(), "What sacrebleu computes: " + known + ".");
  EXPECT_EQ(wrong({.metrics = {"bleu", "ter", "bleu"}}),
            "evaluation.metrics: 'bleu' is given twice");
}

TEST(EvaluationConfig, AlignmentsToChooseByNeedAlignmentsToMeasure) {
  EXPECT_EQ(wrong({.alignments = "test", .valid_alignments = "valid"}), "(nothing thrown)");
  EXPECT_EQ(wrong({.valid_alignments = "valid"}),
            "evaluation.valid_alignments: needs evaluation.alignments, which are measured");
}

TEST(EvaluationConfig, AntecedentsNeedTheFormsOfTheirGenders) {
  EXPECT_EQ(wrong({.antecedents = "test", .pronouns = {"m=er"}}), "(nothing thrown)");
  EXPECT_EQ(wrong({.antecedents = "test"}),
            "evaluation.antecedents: needs evaluation.pronouns, the forms of each gender");
}

TEST(EvaluationConfig, BucketsIncrease) {
  EXPECT_EQ(wrong({.length_buckets = {5}}), "(nothing thrown)");
  EXPECT_EQ(wrong({.length_buckets = {5, 10, 10}}),
            "evaluation.length_buckets: 10 follows 10; the ends of buckets must increase");
  EXPECT_EQ(wrong({.length_buckets = {5, 3}}),
            "evaluation.length_buckets: 3 follows 5; the ends of buckets must increase");
}

}  // namespace
}  // namespace heed::score
