// heed train: what a run leaves behind, and what it refuses.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

constexpr const char* kBrief = "updates: 4, validate_every: 4, save_every: 4";

TEST(Train, LeavesExactlyTheFilesThatAreDocumented) {
  EXPECT_THAT(names_of(Toy::get().rnn),
              ElementsAre("checkpoints", "config.yaml", "joint.spm", "metrics.jsonl",
                          "model.safetensors", "provenance.json", "summary.json", "test.hypothesis",
                          "train.log", "validations"));
  EXPECT_THAT(names_of(Toy::get().rnn + "/checkpoints"),
              IsSupersetOf({std::string("update-00000300.heed")}));
}

TEST(Train, TheSavedConfigIsTheResolvedOne) {
  const std::string saved = read_file(Toy::get().rnn + "/config.yaml");
  // The number of parts is decided when a run begins.
  EXPECT_EQ(product(run_heed({"config", Toy::get().rnn_config, "--set",
                              "training.validate_bleu=true", "--set", "training.micro_batches=1"})),
            saved);
}

TEST(Train, MetricsSayHowTheRunWent) {
  const auto training = events(Toy::get().rnn, "train");
  ASSERT_GE(training.size(), 5U);
  int64_t before = 0;
  for (const json& event : training) {
    EXPECT_GT(event.at("update").get<int64_t>(), before);
    before = event.at("update");
    EXPECT_GT(event.at("tokens_per_second").get<double>(), 0);
  }
  EXPECT_LT(training.back().at("loss").get<double>(),
            training.front().at("loss").get<double>() / 2);
  const auto validations = events(Toy::get().rnn, "validation");
  ASSERT_EQ(validations.size(), 3U);
  EXPECT_EQ(validations.back().at("update"), 300);
  EXPECT_GT(validations.back().at("bleu").get<double>(), 0);
  EXPECT_TRUE(events(Toy::get().transformer, "validation").back().at("bleu").is_null());
}

TEST(Train, TheSummaryAndTheLogHoldTheTestScoresWithTheirSignature) {
  const json summary = json::parse(read_file(Toy::get().rnn + "/summary.json"));
  EXPECT_EQ(summary.at("updates"), 300);
  ASSERT_EQ(summary.at("test").size(), 2U);
  EXPECT_THAT(summary.at("test")[0].get<std::string>(), HasSubstr("nrefs:1"));
  const std::string log = read_file(Toy::get().rnn + "/train.log");
  EXPECT_THAT(log, HasSubstr("attention bahdanau"));
  EXPECT_THAT(log, HasSubstr("test " + summary.at("test")[0].get<std::string>()));
  EXPECT_EQ(lines_of(read_file(Toy::get().rnn + "/test.hypothesis")).size(), 25U);
}

TEST(Train, ModelsWithAttentionLearnTheTask) {
  for (const std::string& run : {Toy::get().rnn, Toy::get().transformer})
    EXPECT_LT(events(run, "validation").back().at("loss").get<double>(), 0.5) << run;
}

// The samples of this run are the whole set.
TEST(Train, AValidationHasTheBleuOfItsTranslations) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string before = "output     ";
  std::string outputs;
  for (const std::string& line : lines_of(read_file(toy.rnn + "/validations/300.txt")))
    if (line.starts_with(before)) outputs += line.substr(before.size()) + "\n";
  ASSERT_EQ(lines_of(outputs).size(), 20U);
  const double bleu = events(toy.rnn, "validation").back().at("bleu");
  EXPECT_GT(bleu, 0);
  EXPECT_THAT(product(run_heed({"evaluate", "--hypothesis", folder.write("outputs", outputs),
                                "--reference", toy.folder / "valid.tgt"})),
              ::testing::StartsWith("BLEU " + fixed(bleu, 2) + " ("));
}

TEST(Train, RefusesAFolderThatHoldsARunUntilToldWhatToDo) {
  const std::string before = read_file(Toy::get().rnn + "/model.safetensors");
  expect_mistake(run_heed({"train", Toy::get().rnn_config}),
                 {Toy::get().rnn, "--resume", "--overwrite"});
  EXPECT_TRUE(read_file(Toy::get().rnn + "/model.safetensors") == before);
}

struct TrainTest : testing::Test {
  TemporaryFolder folder;
  std::string config(const std::string& training = kBrief,
                     const std::string& vocabulary = "kind: joint, size: 32, algorithm: bpe") {
    write_toy_pairs(folder, "train", 100, 1);
    write_toy_pairs(folder, "valid", 10, 2);
    return write_toy_config(folder, {"run", kNone, training, false, 1, vocabulary});
  }
  std::string run = folder / "run";
};

TEST_F(TrainTest, PrintsACommandThatTakesItsFolderForNoOption) {
  const std::string script =
      "cd \"$0\" && exec \"$1\" train \"$2\" --set output=-run --set training.updates=2";
  const Result result =
      subprocess::run({"sh", "-c", script, folder.path(), paths::kHeed, config()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("done: heed translate ./-run\n"));
}

TEST_F(TrainTest, PrintsNothingOnStdout) {
  const Result result = run_heed({"train", config()});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("heed translate " + run));
  EXPECT_EQ(run_heed({"-q", "train", config(), "--overwrite"}).err, "");
}

TEST_F(TrainTest, EachValidationSetHasTheBleuOfItsTranslations) {
  const Toy& toy = Toy::get();
  write_toy_pairs(folder, "news", 7, 3);
  train_toy(config("updates: 2, validate_every: 2"),
            {"--set", "training.from=" + toy.rnn, "--set", std::string("model=") + kRnn, "--set",
             "training.validate_bleu=true", "--set", "training.validation_outputs=true", "--set",
             "data.more_valid=[{name: news, source: " + (folder / "news.src") +
                 ", target: " + (folder / "news.tgt") + "}]"});
  const double bleu = events(run, "further_validation").at(0).at("bleu").get<double>();
  EXPECT_NE(bleu, events(run, "validation").at(0).at("bleu").get<double>());
  EXPECT_GT(bleu, 0);
  EXPECT_THAT(
      product(run_heed({"evaluate", "--hypothesis", folder / "run/validations/2.news.hypothesis",
                        "--reference", folder / "news.tgt"})),
      ::testing::StartsWith("BLEU " + fixed(bleu, 2) + " ("));
}

// The folder is the model: nothing else is needed and nothing at its old path.
TEST_F(TrainTest, AMovedRunTranslatesWithoutItsCorpora) {
  const std::string yaml = config(kBrief, "kind: separate, size: 30, algorithm: bpe");
  for (const char* name : {"train.src", "train.tgt"})
    ASSERT_EQ(subprocess::run({"gzip", folder / name}).status, 0);
  train_toy(yaml, {"--set", "data.train.source=" + (folder / "train.src.gz"), "--set",
                   "data.train.target=" + (folder / "train.tgt.gz")});
  EXPECT_THAT(names_of(run), IsSupersetOf({std::string("source.spm"), std::string("target.spm")}));
  const TemporaryFolder elsewhere;
  fs::rename(run, elsewhere / "moved");
  for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
  const Result result = run_heed({"translate", elsewhere / "moved"}, "a b\n\nc\n");
  EXPECT_EQ(lines_of(product(result)).size(), 3U);
}

}  // namespace
}  // namespace heed::cli
