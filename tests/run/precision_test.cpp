// precision: auto: what a training has made of it stays, and each machine chooses what it
// translates in.
#include "run/precision.h"

#include <nlohmann/json.hpp>

#include "cli/weights_file.h"
#include "kernels/rows/versions.h"
#include "run/in_process.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "train/checkpoint.h"

namespace heed::run {
namespace {

using namespace cli;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMeasured = " ms in fp32 and ";

Precision decided(Precision saved, Precision wanted) {
  Config before, now;
  before.precision = saved;
  now.precision = wanted;
  return decided_as(before, now).precision;
}

TEST(DecidedPrecision, IsThatOfTheRunWhereTheConfigurationLeavesItOpen) {
  EXPECT_EQ(decided(Precision::auto_bf16, Precision::auto_), Precision::auto_bf16);
  EXPECT_EQ(decided(Precision::auto_fp32, Precision::auto_), Precision::auto_fp32);
  EXPECT_EQ(decided(Precision::auto_, Precision::auto_), Precision::auto_);  // on a GPU
  // Whoever names another one is told that it is fixed.
  EXPECT_EQ(decided(Precision::auto_bf16, Precision::fp32), Precision::fp32);
  EXPECT_EQ(decided(Precision::bf16, Precision::auto_), Precision::auto_);
}

TEST(DecidedPrecision, IsNotMeasuredWhereItIsNamedOrForAGpu) {
  Config config;
  for (const Precision named : {Precision::fp32, Precision::tf32, Precision::bf16,
                                Precision::auto_fp32, Precision::auto_bf16}) {
    config.precision = named;
    decide_precision(config, at::kCPU, {});
    EXPECT_EQ(config.precision, named);
  }
  config.precision = Precision::auto_;
  decide_precision(config, at::kCUDA, {});
  EXPECT_EQ(config.precision, Precision::auto_);
  EXPECT_EQ(training_precision(config), "auto");
  config.precision = Precision::auto_bf16;
  EXPECT_EQ(training_precision(config), "bf16");
  config.precision = Precision::auto_fp32;
  EXPECT_EQ(training_precision(config), "fp32");
}

/// A run of four updates with precision: auto.
struct AutoPrecisionTest : ToyRunTest {
  std::string yaml = write_config();
  bool measures = kernels::processor().bf16_products;

  static std::vector<std::string> with(std::vector<std::string> options,
                                       const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) options.insert(options.end(), {"--set", setting});
    return options;
  }
  std::string precision_of_config() const { return config::name_of(saved_config(run).precision); }
};

TEST_F(AutoPrecisionTest, IsWrittenDownAndMeasuredNeverAgain) {
  const Result begun = train(yaml, with({}, {"precision=auto"}));
  EXPECT_EQ(begun.status, 0) << begun.err;
  const std::string chosen = precision_of_config();
  EXPECT_THAT(chosen, AnyOf("auto_fp32", "auto_bf16"));
  const std::string plain = chosen.substr(5);
  EXPECT_THAT(begun.err, HasSubstr("precision: " + plain + "; "));
  EXPECT_EQ(begun.err.find(kMeasured) != std::string::npos, measures);
  EXPECT_EQ(nlohmann::json::parse(file("provenance.json")).at("precision"), plain);

  const Result more = train(yaml, with({"--resume"}, {"precision=auto", "training.updates=6"}));
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_THAT(more.err, Not(HasSubstr(kMeasured)));
  EXPECT_THAT(more.err, Not(HasSubstr("precision: ")));
  EXPECT_EQ(precision_of_config(), chosen);
  const std::string weights = file("model.safetensors");
  // The values of config.yaml give the same weights at once.
  const Result again =
      train(yaml, with({"--overwrite"}, {"precision=" + chosen, "training.updates=6"}));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, Not(HasSubstr(kMeasured)));
  EXPECT_TRUE(file("model.safetensors") == weights);
}

// Earlier versions said in provenance.json alone which precision it had been.
TEST_F(AutoPrecisionTest, OfAnEarlierVersionGoesOnAsItBegan) {
  for (const std::string precision : {"fp32", "bf16"}) {
    train_toy(yaml, with({"--overwrite"}, {"precision=auto_" + precision}));
    const auto earlier = [&](std::string text) {
      const std::string named = "precision: auto_" + precision;
      return text.replace(text.find(named), named.size(), "precision: auto");
    };
    write_atomic(run + "/config.yaml", earlier(file("config.yaml")));
    WeightsFile(run + "/checkpoints/update-00000004.heed")
        .rewrite_metadata([&](nlohmann::json& metadata) {
          metadata[train::kConfiguration] = earlier(metadata.at(train::kConfiguration));
        });
    const Result more = train(run, with({"--resume"}, {"training.updates=6"}));
    EXPECT_EQ(more.status, 0) << more.err;
    EXPECT_THAT(more.err, Not(HasSubstr(kMeasured)));
    EXPECT_EQ(precision_of_config(), "auto_" + precision);
    EXPECT_EQ(nlohmann::json::parse(file("provenance.json")).at("precision"), precision);
  }
}

TEST_F(AutoPrecisionTest, LeavesTheMachineThatTranslatesItsChoice) {
  train_toy(yaml, with({}, {"precision=auto_fp32"}));
  const auto told = [&](const OpenOptions& options) {
    const std::string by_torch = outcome_of([&] { open_model(run, options); }).err;
    const std::string by_engine = outcome_of([&] { open_engines(run, options); }).err;
    EXPECT_EQ(by_torch.find(kMeasured) == std::string::npos,
              by_engine.find(kMeasured) == std::string::npos);
    return by_engine;
  };
  const std::string open = told({});
  if (measures)
    EXPECT_THAT(open, HasSubstr(run + ": translates in "));
  else
    EXPECT_THAT(open, Not(HasSubstr(kMeasured)));
  for (const char* named : {"precision=fp32", "precision=bf16"})
    EXPECT_THAT(told({.settings = {named}}), Not(HasSubstr(kMeasured))) << named;
  // Where weights have a type of their own engines ask for nothing else.
  for (const char* named : {"decoding.weights=int8", "decoding.weights=bf16"})
    EXPECT_THAT(outcome_of([&] { open_engines(run, {.settings = {named}}); }).err,
                Not(HasSubstr(kMeasured)))
        << named;
}

}  // namespace
}  // namespace heed::run
