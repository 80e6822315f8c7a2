// precision: auto and decoding.weights: auto: what a training has made of them stays, and each
// machine chooses what it translates in where that is left open.
#include "run/precision.h"

#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "cli/weights_file.h"
#include "kernels/rows/versions.h"
#include "run/in_process.h"
#include "run/line_models.h"
#include "run/measured_times.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "scoped_variable.h"
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

decode::WeightType decided(decode::WeightType saved, decode::WeightType wanted) {
  Config before, now;
  before.decoding.weights = saved;
  now.decoding.weights = wanted;
  return decided_as(before, now).decoding.weights;
}

TEST(DecidedWeights, AreThoseOfTheRunWhereTheConfigurationLeavesThemOpen) {
  using enum decode::WeightType;
  for (const decode::WeightType chosen : {auto_fp32, auto_bf16, auto_int8}) {
    EXPECT_EQ(decided(chosen, auto_), chosen);
    EXPECT_EQ(decided(chosen, int8), int8);
    EXPECT_EQ(decided(chosen, fp32), fp32);
  }
  EXPECT_EQ(decided(auto_, auto_), auto_);  // on a GPU
  // What somebody has named before is no choice of heed.
  EXPECT_EQ(decided(int8, auto_), auto_);
}

/// Choices by times that a file has for every command of this test.
struct ChosenByTimes : testing::Test {
  TemporaryFolder folder;
  model::VocabularySizes sizes{.source = 30, .target = 40};
  MeasuredTimes measured{folder / "times.json", [] { return "machine"; }, "program"};

  static Config config() {
    Config config;
    config.output = "a run";
    config.model.width = 16;
    config.model.feed_forward = 32;
    config.model.heads = 2;
    config.precision = Precision::fp32;
    return config;
  }
  /// Has these times found for steps of translating with config().
  void know_translating(const PrecisionTimes& times) const {
    measured.forget();
    const engine::SearchRows rows{.vocabulary = sizes.target, .sentences = 32, .beam = 5};
    const auto layers = model::layer_sizes(config().model, rows.vocabulary);
    measured.of(products_name("translating by 32 and 5", layers), [&] { return times; });
  }
  decode::WeightType weights_by(const PrecisionTimes& times) const {
    know_translating(times);
    Config config = this->config();
    config.decoding.weights = decode::WeightType::auto_;
    decide_weights(config, "a run", sizes.target, measured);
    return config.decoding.weights;
  }
};

TEST_F(ChosenByTimes, WeightsAreTheFastestByAMargin) {
  using enum decode::WeightType;
  EXPECT_EQ(weights_by({.fp32 = 1, .bf16 = 1.5, .int8 = 1.2}), auto_fp32);
  EXPECT_EQ(weights_by({.fp32 = 1, .bf16 = 0.5, .int8 = 0.49}), auto_bf16);
  EXPECT_EQ(weights_by({.fp32 = 1, .bf16 = 0.5, .int8 = 0.4}), auto_int8);
  EXPECT_EQ(weights_by({.fp32 = 1, .int8 = 0.9}), auto_int8);
  EXPECT_EQ(weights_by({.fp32 = 1, .bf16 = 0.96, .int8 = 0.96}), auto_fp32);
}

TEST_F(ChosenByTimes, WeightsOfATypeStay) {
  know_translating({.fp32 = 1, .bf16 = 0.5, .int8 = 0.4});
  using enum decode::WeightType;
  for (const decode::WeightType named : {fp32, bf16, int8, auto_fp32, auto_bf16, auto_int8}) {
    Config config = this->config();
    config.decoding.weights = named;
    decide_weights(config, "a run", sizes.target, measured);
    EXPECT_EQ(config.decoding.weights, named);
  }
}

TEST_F(ChosenByTimes, TheLogSaysWhy) {
  know_translating({.fp32 = 0.002, .bf16 = 0.001, .int8 = 0.0005});
  Config config = this->config();
  config.decoding.weights = decode::WeightType::auto_;
  const std::string log =
      outcome_of([&] { decide_weights(config, "a run", sizes.target, measured); }).err;
  EXPECT_THAT(log, HasSubstr("a run: decoding.weights: auto_int8; the products of a step take 2.0 "
                             "ms in fp32, 1.0 ms in bf16 and 0.5 ms in int8, as measured before"));
}

// int8 is none of the formats that `precision` has.
TEST_F(ChosenByTimes, PrecisionOfTranslationsIsFp32OrBf16) {
  Config config = this->config();
  config.precision = Precision::auto_;
  const bool has_bf16 = kernels::processor().bf16_products;
  know_translating({.fp32 = 1, .bf16 = 0.5, .int8 = 0.1});
  EXPECT_EQ(translates_in_bf16(config, "a run", sizes.target, measured), has_bf16);
  know_translating({.fp32 = 1, .bf16 = 0.97, .int8 = 0.1});
  EXPECT_FALSE(translates_in_bf16(config, "a run", sizes.target, measured));
}

TEST_F(ChosenByTimes, PrecisionOfATrainingIsTheFasterOneByAMargin) {
  const auto chosen = [&](const PrecisionTimes& times) {
    measured.forget();
    Config config = this->config();
    config.precision = Precision::auto_;
    config.training.batch_size = 1000;
    config.training.micro_batches = 1;
    const auto layers = model::layer_sizes(config.model, sizes.target);
    const std::string use = "training by 1000 with LibTorch " TORCH_VERSION;
    measured.of(products_name(use, layers), [&] { return times; });
    decide_precision(config, at::kCPU, sizes, measured);
    return config.precision;
  };
  const bool has_bf16 = kernels::processor().bf16_products;
  EXPECT_EQ(chosen({.fp32 = 1, .bf16 = 0.5}),
            has_bf16 ? Precision::auto_bf16 : Precision::auto_fp32);
  EXPECT_EQ(chosen({.fp32 = 1, .bf16 = 0.96}), Precision::auto_fp32);
  EXPECT_EQ(chosen({.fp32 = 1, .bf16 = 2}), Precision::auto_fp32);
}

TEST_F(ChosenByTimes, WeightsStayOpenForAGpu) {
  Config config = this->config();
  config.decoding.weights = decode::WeightType::auto_;
  decide_precision(config, at::kCUDA, sizes, measured);
  EXPECT_EQ(config.decoding.weights, decode::WeightType::auto_);
  decide_precision(config, at::kCPU, sizes, measured);
  EXPECT_TRUE(decode::is_chosen(config.decoding.weights));
}

/// A run of four updates with precision: auto.
struct AutoPrecisionTest : ToyRunTest {
  std::string yaml = write_config();
  bool measures = kernels::processor().bf16_products;
  std::string times_file = folder / "cache/precision_times.json";

  ScopedVariable variable{"HEED_CACHE", folder / "cache"};

  /// Has all that was measured before say that this format is the fastest.
  void make_fastest(const std::string& format) const {
    auto content = nlohmann::json::parse(read_file(times_file));
    for (auto& [machine, known] : content.items())
      for (auto& [products, times] : known.at("times").items())
        for (auto& [name, seconds] : times.items()) seconds = name == format ? 0.001 : 0.002;
    write_atomic(times_file, content.dump());
  }
  std::string weights_of_config() const {
    return config::name_of(saved_config(run).decoding.weights);
  }

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

TEST_F(AutoPrecisionTest, OfWeightsIsWrittenDownAndDecidedNeverAgain) {
  const std::vector<std::string> settings = {"decoding.weights=auto", "precision=auto"};
  const Result first = train(yaml, with({}, settings));
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(weights_of_config(), AnyOf("auto_fp32", "auto_bf16", "auto_int8"));
  for (const std::string format : {"int8", "fp32"}) {
    make_fastest(format);
    const Result begun = train(yaml, with({"--overwrite"}, settings));
    EXPECT_EQ(begun.status, 0) << begun.err;
    EXPECT_THAT(begun.err, HasSubstr(run + ": decoding.weights: auto_" + format + "; "));
    EXPECT_THAT(begun.err, HasSubstr(", as measured before"));
    EXPECT_EQ(weights_of_config(), "auto_" + format);
    // With another cache, as on another machine, the run and its translations stay as they are.
    make_fastest(format == "int8" ? "fp32" : "int8");
    const Result more =
        train(yaml, with({"--resume"}, {settings[0], settings[1], "training.updates=6"}));
    EXPECT_EQ(more.status, 0) << more.err;
    EXPECT_THAT(more.err, Not(HasSubstr("decoding.weights")));
    EXPECT_EQ(weights_of_config(), "auto_" + format);
    EXPECT_EQ(open_engines(run, {}).config.decoding.weights, saved_config(run).decoding.weights);
  }
  // The machine that translates chooses where it is told to.
  make_fastest("int8");
  EXPECT_EQ(open_engines(run, {.settings = {"decoding.weights=auto"}}).config.decoding.weights,
            decode::WeightType::auto_int8);
}

TEST_F(AutoPrecisionTest, TranslatesAsTheTypeThatWasChosen) {
  train_toy(yaml, with({}, {"precision=fp32"}));
  const auto translations = [&](const std::string& weights) {
    const OpenOptions options{.settings = {"decoding.weights=" + weights, "decoding.n_best=5"}};
    std::string all;
    for (const auto& one : open_engines(run, options)
                               .translator->translate({.lines = {"a b c", "ab , ba"}})
                               .translations)
      for (const auto& hypothesis : one.hypotheses) all += fmt::format("{} ", hypothesis.score);
    const auto by_torch = open_model(run, options).translator().translate({.lines = {"a b c"}});
    EXPECT_FALSE(by_torch.translations.empty());
    return all;
  };
  const std::string fp32 = translations("fp32"), bf16 = translations("bf16"),
                    int8 = translations("int8");
  EXPECT_NE(fp32, bf16);
  EXPECT_NE(fp32, int8);
  EXPECT_EQ(translations("auto_fp32"), fp32);
  EXPECT_EQ(translations("auto_bf16"), bf16);
  EXPECT_EQ(translations("auto_int8"), int8);
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
