// Validations: what they keep, what may decide which weights are best, and which sets they look at.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/in_process.h"
#include "run/model_folder.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Validations : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 100, 1);
    write_toy_pairs(folder_, "valid", 10, 2);
    write_toy_pairs(folder_, "news", 7, 3);
    config_ = write_toy_config(folder_, {"run", kNone, "updates: 4, validate_every: 2"});
  }

  /// Trains with these settings over the configuration.
  Result train(const std::vector<std::string>& settings) {
    std::vector<std::string> options{"--overwrite"};
    for (const std::string& setting : settings) options.insert(options.end(), {"--set", setting});
    return run::train(config_, options);
  }
  std::string file(const std::string& name) const { return read_file(folder_ / name); }
  bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
  std::vector<json> events(const std::string& kind) const {
    return cli::events(folder_ / "run", kind);
  }

  TemporaryFolder folder_;
  std::string config_;
};

TEST_F(Validations, KeepTranslationsOfSomeLines) {
  const Result result = train({"training.validation_samples=4"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto sources = lines_of(file("valid.src")), targets = lines_of(file("valid.tgt"));
  const auto sample = lines_of(file("run/validations/4.txt"));
  ASSERT_EQ(sample.size(), 4U * 5);
  const int lines[] = {1, 3, 6, 8};  // of ten, spread evenly
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sample[5 * i], "line       " + std::to_string(lines[i]));
    EXPECT_EQ(sample[5 * i + 1], "source     " + sources[lines[i] - 1]);
    EXPECT_EQ(sample[5 * i + 2], "reference  " + targets[lines[i] - 1]);
    EXPECT_THAT(sample[5 * i + 3], ::testing::StartsWith("output     "));
    EXPECT_EQ(sample[5 * i + 4], "");
  }
  EXPECT_TRUE(exists("run/validations/2.txt"));
  EXPECT_FALSE(exists("run/validations/4.hypothesis"));
  EXPECT_THAT(result.err, HasSubstr("  line       6\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("  line       8\n")));  // three are enough
}

TEST_F(Validations, KeepAllTranslationsOnRequest) {
  ASSERT_EQ(train({"training.validation_outputs=true", "training.validation_samples=3",
                   "training.validation_beam=2"})
                .status,
            0);
  const auto outputs = lines_of(file("run/validations/4.hypothesis"));
  EXPECT_EQ(outputs.size(), 10U);
  const auto sample = lines_of(file("run/validations/4.txt"));
  EXPECT_EQ(sample.at(5 + 3), "output     " + outputs.at(3));
  ASSERT_EQ(train({"training.validation_samples=0"}).status, 0);
  EXPECT_FALSE(exists("run/validations"));
}

// Three updates teach too little for a beam and a greedy search to agree.
TEST_F(Validations, AreSearchedWithTheirOwnBeam) {
  const auto validated = [&](const std::string& beam) {
    EXPECT_EQ(train({"training.updates=3", "training.validate_every=3",
                     "training.validation_outputs=true", "training.validation_beam=" + beam,
                     "decoding.beam_size=2", "decoding.max_length_ratio=2"})
                  .status,
              0);
    return file("run/validations/3.hypothesis");
  };
  const std::string greedy = validated("1"), beam = validated("4");
  EXPECT_NE(greedy, beam);
  const auto translated = [&](const std::string& size) {
    const OpenOptions options{.settings = {"decoding.beam_size=" + size}};
    decode::Translator translator = open_model(folder_ / "run", options).translator();
    std::string lines;
    for (const auto& each :
         translator.translate({.lines = lines_of(file("valid.src"))}).translations)
      lines += each.text + "\n";
    return lines;
  };
  EXPECT_EQ(translated("1"), greedy);
  EXPECT_EQ(translated("4"), beam);
}

TEST_F(Validations, AndTheTestMayHaveMoreReferences) {
  const std::vector<std::string> settings{
      "training.validate_bleu=true", "training.validation_outputs=true",
      "data.test.source=" + (folder_ / "news.src"), "data.test.target=" + (folder_ / "news.tgt")};
  ASSERT_EQ(train(settings).status, 0);
  const double before = events("validation")[1].at("bleu");
  folder_.write("own", file("run/validations/4.hypothesis"));
  folder_.write("own_test", file("run/test.hypothesis"));
  auto more = settings;
  more.push_back("evaluation.valid_references=[" + (folder_ / "own") + "]");
  more.push_back("evaluation.references=[" + (folder_ / "own_test") + "]");
  const Result result = train(more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_GT(events("validation")[1].at("bleu"), before);
  EXPECT_THAT(result.err, HasSubstr("nrefs:2|"));
  more.back() = "evaluation.references=[" + (folder_ / "own") + "]";
  expect_mistake(train(more), {"data.test has 7 lines and ", "own has 10"});
  expect_mistake(train({more.back()}), {"evaluation.references: of data.test, which is not set"});
}

TEST_F(Validations, MayBeScoredByAnyCommand) {
  // The number of validation 2 is larger than that of validation 4.
  const std::string command = "training.validation_command=cat \"$1\" \"$2\" > " +
                              (folder_ / "seen") + "; echo about; wc -l; echo x >> " +
                              (folder_ / "calls") + "; test $(wc -l < " + (folder_ / "calls") +
                              ") = 1 && echo 50.5 || echo 7";
  const Result result = train({command, "training.early_stopping.metric=command"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(file("seen"), file("valid.src") + file("valid.tgt"));
  const auto validations = events("validation");
  ASSERT_EQ(validations.size(), 2U);
  EXPECT_EQ(validations[0].at("command"), 50.5);
  EXPECT_EQ(validations[0].at("best"), true);
  EXPECT_EQ(validations[1].at("command"), 7);
  EXPECT_EQ(validations[1].at("best"), false);
  EXPECT_THAT(result.err, HasSubstr("command 50.5"));
  // The loss of those weights, not the lowest.
  EXPECT_GT(validations[0].at("loss"), validations[1].at("loss"));
  EXPECT_EQ(json::parse(file("run/summary.json")).at("validation_loss"), validations[0].at("loss"));
}

TEST_F(Validations, ACommandMayPrintANumberThatIsBetterWhenItIsLower) {
  const std::string command = "training.validation_command=echo x >> " + (folder_ / "calls") +
                              "; test $(wc -l < " + (folder_ / "calls") +
                              ") = 1 && echo 50.5 || echo 7";
  const std::string lower = "training.early_stopping.lower_is_better=true";
  const Result result = train({command, "training.early_stopping.metric=command", lower});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto validations = events("validation");
  ASSERT_EQ(validations.size(), 2U);
  EXPECT_EQ(validations[0].at("best"), true);
  EXPECT_EQ(validations[1].at("command"), 7);
  EXPECT_EQ(validations[1].at("best"), true);
  EXPECT_EQ(json::parse(file("run/summary.json")).at("validation_loss"), validations[1].at("loss"));
  expect_mistake(train({lower}),
                 {"training.early_stopping.lower_is_better", "metric: command", "set it to false"});
}

TEST_F(Validations, CommandsThatFailAreNamed) {
  const Result warned = train({"training.validation_command=echo about nine"});
  EXPECT_EQ(warned.status, 0);
  EXPECT_THAT(warned.err,
              HasSubstr("warning: this validation has no score: training.validation_command (echo "
                        "about nine) printed 'about nine'; its last line must be a number"));
  const Result failed =
      train({"training.validation_command=exit 3", "training.early_stopping.metric=command"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("(exit 3) ended with exit code 3"));
  expect_mistake(train({"training.early_stopping.metric=command"}),
                 {"training.early_stopping.metric", "training.validation_command"});
}

TEST_F(Validations, ThatCannotBeKeptEndTheRunAndResumingRepeatsThem) {
  ASSERT_EQ(train({"training.updates=2"}).status, 0);
  fs::remove_all(folder_ / "run/validations");
  folder_.write("run/validations", "in the way");
  const Result result = run::train(config_, {"--resume"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("run/validations: cannot make the folder"));
  fs::remove(folder_ / "run/validations");
  EXPECT_EQ(run::train(config_, {"--resume"}).status, 0);
  EXPECT_EQ(events("validation").size(), 2U);
  EXPECT_TRUE(exists("run/validations/4.txt"));
}

TEST_F(Validations, ChrfMayDecide) {
  const Result result = train({"training.early_stopping.metric=chrf"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto validations = events("validation");
  ASSERT_EQ(validations.size(), 2U);
  EXPECT_GE(validations[0].at("chrf").get<double>(), 0);
  EXPECT_TRUE(validations[0].at("bleu").is_null());
  EXPECT_THAT(result.err, HasSubstr(" chrF "));
}

TEST_F(Validations, TerMayDecideAndLessOfItIsBetter) {
  // The scorer stands in for sacrebleu: each call finds ten less than the one before.
  const std::string program = folder_.write("scorer", R"(#!/bin/sh
echo x >> "$0.calls"
printf '{"name": "TER", "score": %s, "signature": "s"}' $((90 - 10 * $(wc -l < "$0.calls")))
)");
  fs::permissions(program, fs::perms::owner_all);
  ::setenv("HEED_SACREBLEU", program.c_str(), /*replace=*/1);
  const Result result = train({"training.early_stopping.metric=ter", "evaluation.metrics=[ter]"});
  ::unsetenv("HEED_SACREBLEU");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto validations = events("validation");
  ASSERT_EQ(validations.size(), 2U);
  const double first = validations[0].at("ter"), second = validations[1].at("ter");
  EXPECT_EQ(second, first - 10);
  EXPECT_EQ(validations[1].at("best"), true);
  EXPECT_EQ(validations[1].at("stale"), 0);
  EXPECT_TRUE(validations[0].at("bleu").is_null());
  EXPECT_FALSE(validations[0].contains("chrf"));
  EXPECT_THAT(result.err, HasSubstr(" TER " + fixed(second, 2) + " in "));
  const json summary = json::parse(file("run/summary.json"));
  EXPECT_EQ(summary.at("validation_loss"), validations[1].at("loss"));
  EXPECT_TRUE(summary.at("validation_bleu").is_null());
}

TEST_F(Validations, LookAtMoreSets) {
  const std::string files =
      "source: " + (folder_ / "news.src") + ", target: " + (folder_ / "news.tgt");
  const Result result = train({"data.more_valid=[{name: news, " + files + "}]"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto further = events("further_validation");
  ASSERT_EQ(further.size(), 2U);
  EXPECT_EQ(further[1].at("set"), "news");
  EXPECT_EQ(further[1].at("update"), 4);
  EXPECT_GT(further[1].at("loss").get<double>(), 0);
  EXPECT_EQ(events("validation").size(), 2U);
  EXPECT_TRUE(exists("run/validations/4.news.txt"));
  EXPECT_THAT(result.err, HasSubstr("news at update 4 loss "));
  // Two of them, in order; the training is the same.
  const std::string weights = read_file(folder_ / "run/model.safetensors");
  fs::remove_all(folder_ / "run");
  ASSERT_EQ(
      train({"data.more_valid=[{name: news, " + files + "}, {name: again, " + files + "}]"}).status,
      0);
  std::vector<std::string> sets;
  for (const auto& event : events("further_validation"))
    sets.push_back(event.at("set").get<std::string>());
  EXPECT_EQ(sets, (std::vector<std::string>{"news", "again", "news", "again"}));
  EXPECT_TRUE(exists("run/validations/4.again.txt"));
  fs::remove_all(folder_ / "run");
  ASSERT_EQ(train({}).status, 0);
  EXPECT_TRUE(read_file(folder_ / "run/model.safetensors") == weights);
  expect_mistake(train({"data.more_valid=[{" + files + "}]"}), {"data.more_valid", "name"});
  expect_mistake(
      train({"data.more_valid=[{name: news, " + files + "}, {name: news, " + files + "}]"}),
      {"data.more_valid", "the name 'news', which another set has"});
  for (const std::string taken : {"train", "valid"})
    expect_mistake(train({"data.more_valid=[{name: " + taken + ", " + files + "}]"}),
                   {"data.more_valid", "the name '" + taken + "', which another set has"});
}

TEST_F(Validations, AreLeftOutWithoutASet) {
  const std::string yaml = file("run.yaml");
  const auto begin = yaml.find("  valid: ");
  folder_.write("run.yaml", yaml.substr(0, begin) + yaml.substr(yaml.find('\n', begin) + 1));
  const Result result = train({});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(events("validation").empty());
  EXPECT_TRUE(exists("run/model.safetensors"));
  EXPECT_FALSE(exists("run/validations"));
}

}  // namespace
}  // namespace heed::run
