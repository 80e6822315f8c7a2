#include "run/measured_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "run/config.h"
#include "run/line_models.h"
#include "scoped_variable.h"
#include "temporary_folder.h"

namespace heed::run {
namespace {

using nlohmann::json;

constexpr PrecisionTimes kTimes{.fp32 = 0.5, .bf16 = 0.25, .int8 = 0.125};

/// Counts how often something is measured.
struct MeasuredTimesTest : testing::Test {
  TemporaryFolder folder;
  std::string path = folder / "cache/heed/times.json";
  int measurements = 0;

  MeasuredTimes file(const std::string& machine = "EPYC", const std::string& program = "1") const {
    return {path, [machine] { return machine; }, program};
  }
  KnownTimes times(const MeasuredTimes& measured, const std::string& products = "W1",
                   const PrecisionTimes& found = kTimes) {
    return measured.of(products, [&] {
      ++measurements;
      return found;
    });
  }
  /// Whether the times of W1 have to be measured.
  bool measures(const MeasuredTimes& measured) {
    const int before = measurements;
    EXPECT_EQ(times(measured).times, kTimes);
    return measurements > before;
  }
};

TEST_F(MeasuredTimesTest, AreMeasuredOnce) {
  const KnownTimes first = times(file());
  EXPECT_EQ(first.times, kTimes);
  EXPECT_FALSE(first.from_file);
  EXPECT_STREQ(first.origin(), "");
  const KnownTimes second = times(file(), "W1", {.fp32 = 7});
  EXPECT_EQ(second.times, kTimes);
  EXPECT_TRUE(second.from_file);
  EXPECT_STREQ(second.origin(), ", as measured before");
  EXPECT_EQ(measurements, 1);
}

TEST_F(MeasuredTimesTest, AreTextThatAnyoneCanRead) {
  times(file());
  times(file(), "W2", {.fp32 = 2, .int8 = 1});  // no bf16 on that processor
  const json expected = {{"EPYC",
                          {{"program", "1"},
                           {"times",
                            {{"W1", {{"fp32", 0.5}, {"bf16", 0.25}, {"int8", 0.125}}},
                             {"W2", {{"fp32", 2.0}, {"int8", 1.0}}}}}}}};
  EXPECT_EQ(json::parse(read_file(path)), expected);
  EXPECT_EQ(times(file(), "W2").times, (PrecisionTimes{.fp32 = 2, .int8 = 1}));
}

TEST_F(MeasuredTimesTest, KeepHowMuchTheyDiffered) {
  times(file(), "W1", {.fp32 = 2, .int8 = 1, .spread = 0.25});
  EXPECT_EQ(times(file()).times, (PrecisionTimes{.fp32 = 2, .int8 = 1, .spread = 0.25}));
}

// A training in a precision that is named asks for no times, and waits for nothing.
TEST_F(MeasuredTimesTest, AskForTheMachineOnceTimesAreWanted) {
  int asked = 0;
  const MeasuredTimes measured(
      path,
      [&] {
        ++asked;
        return std::string("EPYC");
      },
      "1");
  Config config;
  config.output = "a run";
  config.precision = Precision::fp32;
  config.decoding.weights = decode::WeightType::int8;
  decide_weights(config, "a run", 40, measured);
  EXPECT_FALSE(translates_in_bf16(config, "a run", 40, measured));
  EXPECT_EQ(asked, 0);
  measures(measured);
  EXPECT_GT(asked, 0);
}

TEST_F(MeasuredTimesTest, AreThoseOfAMachineAndAProgram) {
  EXPECT_TRUE(measures(file("EPYC", "1")));
  EXPECT_TRUE(measures(file("Xeon", "1")));
  EXPECT_FALSE(measures(file("EPYC", "1")));  // one home for both machines
  EXPECT_FALSE(measures(file("Xeon", "1")));
  EXPECT_TRUE(measures(file("Xeon", "2")));
  EXPECT_TRUE(measures(file("Xeon", "1")));  // a machine has the times of one program
  EXPECT_FALSE(measures(file("EPYC", "1")));
}

TEST_F(MeasuredTimesTest, AreForgottenForOneMachine) {
  EXPECT_TRUE(file().forget());  // nothing
  measures(file("EPYC"));
  measures(file("Xeon"));
  EXPECT_TRUE(file("EPYC").forget());
  EXPECT_FALSE(measures(file("Xeon")));
  EXPECT_TRUE(measures(file("EPYC")));
}

TEST_F(MeasuredTimesTest, OfADamagedFileAreMeasuredAnew) {
  const std::string valid = R"({"EPYC": {"program": "1", "times": {"W1": )";
  for (const std::string& damaged :
       {std::string(), std::string("\xFF\0{", 3), std::string("{"), std::string("[1, 2]"),
        std::string("null"), std::string(R"({"EPYC": 3})"), std::string(R"({"EPYC": null})"),
        std::string(R"({"EPYC": {"program": 1, "times": {"W1": {"fp32": 9}}}})"),
        std::string(R"({"EPYC": {"program": "1", "times": 7}})"),
        std::string(R"({"EPYC": {"program": "1", "times": ["W1"]}})"), valid + "4}}}",
        valid + "{}}}}", valid + R"({"fp32": "0.5"}}}})", valid + R"({"fp32": 0}}}})",
        valid + R"({"fp32": -0.5}}}})", valid + R"({"fp32": 1e999}}}})",
        valid + R"({"bf16": 0.25}}}})", std::string(200, '['), std::string(2 << 20, ' ') + "{}"}) {
    SCOPED_TRACE(damaged.substr(0, 80));
    folder.write("cache/heed/times.json", damaged);
    EXPECT_TRUE(measures(file()));
    EXPECT_FALSE(measures(file()));  // the file is whole again
  }
}

TEST_F(MeasuredTimesTest, OfAFormatThatIsDamagedAreNotThere) {
  folder.write(
      "cache/heed/times.json",
      R"({"EPYC": {"program": "1", "times": {"W1": {"fp32": 2, "bf16": [], "int8": 1}}}})");
  EXPECT_EQ(times(file()).times, (PrecisionTimes{.fp32 = 2, .int8 = 1}));
}

TEST_F(MeasuredTimesTest, AreMeasuredEachTimeWhereNothingCanBeKept) {
  const std::string is_file = folder.write("cache", "");
  EXPECT_TRUE(measures(file()));
  EXPECT_TRUE(measures(file()));
  EXPECT_FALSE(file().forget());
  EXPECT_EQ(read_file(is_file), "");
  const MeasuredTimes nowhere(
      "", [] { return "EPYC"; }, "1");
  EXPECT_TRUE(measures(nowhere));
  EXPECT_TRUE(measures(nowhere));
  EXPECT_FALSE(nowhere.forget());
}

// A pipe would have heed wait for a writer.
TEST_F(MeasuredTimesTest, WaitForNoPipe) {
  make_folder(folder / "cache/heed");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(times(file()).from_file);
}

std::string path_with(const std::string& own, const std::string& all, const std::string& home) {
  const ScopedVariable heed("HEED_CACHE", own), caches("XDG_CACHE_HOME", all),
      of_user("HOME", home);
  return MeasuredTimes().path();
}

TEST(MeasuredTimesOfUser, LieInTheFolderForCaches) {
  const std::string file = "/precision_times.json";
  const TemporaryFolder ada;
  const std::string& home = ada.path();
  EXPECT_EQ(path_with("", "", home), home + "/.cache/heed" + file);
  EXPECT_EQ(path_with("", "/scratch", home), "/scratch/heed" + file);
  EXPECT_EQ(path_with("", "scratch", home), home + "/.cache/heed" + file);
  EXPECT_EQ(path_with("own", "/scratch", home), "own" + file);
  EXPECT_EQ(path_with("", "", ""), "");
  EXPECT_EQ(path_with("", "", home + "/gone"), "");  // a home that is not there is not made
}

TEST(ProductsName, HasTheSizesOfAllLayers) {
  using Rows = model::LayerSize::Rows;
  EXPECT_EQ(products_name("translating", {{8, 24, 3, Rows::all, 2}}),
            "translating: 8-24 x3 (2 of the source)");
  EXPECT_EQ(
      products_name("training", {{8, 24, 3}, {8, 16, 2, Rows::step}, {8, 99, 1, Rows::output}}),
      "training: 8-24 x3, 8-16 x2 by steps, 8-99 x1 logits");
}

TEST_F(MeasuredTimesTest, OfTranslatingAreThoseOfSizesAndRows) {
  model::ModelConfig config;
  config.width = 16;
  config.feed_forward = 32;
  config.heads = 2;
  config.encoder_layers = config.decoder_layers = 1;
  const engine::SearchRows rows{.vocabulary = 40, .sentences = 2, .beam = 3};
  EXPECT_FALSE(translating_times(config, rows, file()).from_file);
  EXPECT_TRUE(translating_times(config, rows, file()).from_file);
  for (const engine::SearchRows& others :
       {engine::SearchRows{41, 2, 3}, engine::SearchRows{40, 3, 2}, engine::SearchRows{40, 2, 4}})
    EXPECT_FALSE(translating_times(config, others, file()).from_file);
  config.decoder_layers = 2;
  EXPECT_FALSE(translating_times(config, rows, file()).from_file);
}

}  // namespace
}  // namespace heed::run
