// heed train: what a run leaves behind, goes on with and does without.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "quick_scorer.h"
#include "run/in_process.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kBrief = "updates: 4, validate_every: 4, save_every: 4";

struct TrainTest : testing::Test {
  TemporaryFolder folder;
  std::string config(const std::string& training = kBrief) {
    write_toy_pairs(folder, "train", 100, 1);
    write_toy_pairs(folder, "valid", 10, 2);
    return write_toy_config(folder, {"run", kNone, training});
  }
  /// Trains with this shell script in place of sacrebleu.
  Result train_with(const std::string& scorer, const std::string& path,
                    const std::vector<std::string>& options = {}) {
    const std::string program = folder.write("scorer", "#!/bin/sh\n" + scorer + "\n");
    fs::permissions(program, fs::perms::owner_all);
    ::setenv("HEED_SACREBLEU", program.c_str(), /*replace=*/1);
    const Result result = train(path, options);
    ::unsetenv("HEED_SACREBLEU");
    return result;
  }
  std::string run = folder / "run";
};

constexpr const char* kBroken = "echo broken >&2; exit 3";
constexpr const char* kSound =
    R"(echo '{"name": "BLEU", "score": 12.5, "signature": "nrefs:1", "verbose_score": ""}')";

TEST_F(TrainTest, OverwriteGivesTheSameBitsAgain) {
  train_toy(config());
  const std::string first = read_file(run + "/model.safetensors");
  train_toy(config(), {"--overwrite"});
  EXPECT_TRUE(read_file(run + "/model.safetensors") == first);
  train_toy(config(), {"--overwrite", "--set", "seed=8"});
  EXPECT_FALSE(read_file(run + "/model.safetensors") == first);
}

TEST_F(TrainTest, OverwriteLeavesNoEventFiles) {
  train_toy(config(), {"--set", "training.tensorboard=true"});
  EXPECT_THAT(names_of(run), Contains(StartsWith("events.out.tfevents.")));
  train_toy(config(), {"--overwrite"});
  EXPECT_THAT(names_of(run), Not(Contains(StartsWith("events.out.tfevents."))));
}

TEST_F(TrainTest, ResumingAFinishedRunSaysThereIsNothingToDo) {
  train_toy(config());
  const std::string weights = read_file(run + "/model.safetensors");
  const Result result = train(config(), {"--resume"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("nothing to do"));
  EXPECT_TRUE(read_file(run + "/model.safetensors") == weights);
}

TEST_F(TrainTest, ResumingAFinishedRunScoresItAgainOnlyWhereTheConfigHasChanged) {
  const QuickScorer scorer;
  config();
  write_toy_pairs(folder, "test", 5, 3);
  const std::string path = write_toy_config(folder, {"run", kNone, kBrief, /*test=*/true});
  const std::string hypothesis = run + "/test.hypothesis";
  train_toy(path);
  ASSERT_TRUE(fs::remove(hypothesis));
  train_toy(path, {"--resume"});
  EXPECT_FALSE(fs::exists(hypothesis));
  train_toy(path, {"--resume", "--set", "decoding.beam_size=2"});
  EXPECT_TRUE(fs::exists(hypothesis));
}

TEST_F(TrainTest, AScorerThatFailsCostsTheScoreOfAValidation) {
  const std::string path = config("updates: 4, validate_every: 2, save_every: 9");
  const std::vector<std::string> bleu{"--set", "training.validate_bleu=true"};
  const Result result = train_with(kBroken, path, bleu);
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("warning: this validation has no score: sacrebleu"));
  EXPECT_THAT(result.err, HasSubstr("ended with status 3: broken"));
  const auto validations = events(run, "validation");
  ASSERT_EQ(validations.size(), 2U);
  for (const json& event : validations) {
    EXPECT_TRUE(event.at("bleu").is_null());
    EXPECT_TRUE(event.at("loss").is_number());
  }
}

TEST_F(TrainTest, OfSacrebleuAndACommandOneMayFailWhereTheOtherDecides) {
  const std::string path = config("updates: 2, validate_every: 2, save_every: 9");
  const auto options = [](const std::string& metric, const std::string& command) {
    return std::vector<std::string>{"--overwrite",
                                    "--set",
                                    "training.validate_bleu=true",
                                    "--set",
                                    "training.early_stopping.metric=" + metric,
                                    "--set",
                                    "training.validation_command=" + command};
  };
  const Result no_bleu = train_with(kBroken, path, options("command", "echo 7"));
  EXPECT_EQ(product(no_bleu), "");
  EXPECT_THAT(no_bleu.err, HasSubstr("ended with status 3: broken"));
  EXPECT_EQ(events(run, "validation").at(0).at("command"), 7);
  EXPECT_TRUE(events(run, "validation").at(0).at("bleu").is_null());
  const Result no_command = train_with(kSound, path, options("bleu", "exit 4"));
  EXPECT_EQ(product(no_command), "");
  EXPECT_THAT(no_command.err, HasSubstr("(exit 4) ended with exit code 4"));
  EXPECT_EQ(events(run, "validation").at(0).at("bleu"), 12.5);
  const Result neither = train_with(kBroken, path, options("command", "exit 4"));
  EXPECT_EQ(neither.status, 1);
  EXPECT_THAT(lines_of(neither.err).back(),
              AllOf(HasSubstr("status 3: broken; training.validation_command (exit 4)"),
                    HasSubstr("training.early_stopping.metric: command needs it")));
}

TEST_F(TrainTest, WhereBleuDecidesAScorerThatFailsEndsTheRunAndResumingAsksAgain) {
  const std::string path = config("updates: 4, validate_every: 2, save_every: 9");
  std::vector<std::string> options{"--set", "training.validate_bleu=true", "--set",
                                   "training.early_stopping.metric=bleu"};
  const Result failed = train_with(kBroken, path, options);
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(lines_of(failed.err).back(), HasSubstr("training.early_stopping.metric"));
  EXPECT_THAT(names_of(run + "/checkpoints"), IsSupersetOf({std::string("update-00000002.heed")}));
  options.push_back("--resume");
  const Result resumed = train_with(kSound, path, options);
  EXPECT_EQ(product(resumed), "");
  EXPECT_THAT(resumed.err, HasSubstr("resuming at 2 of 4"));
  const auto validations = events(run, "validation");
  ASSERT_EQ(validations.size(), 2U);
  EXPECT_EQ(validations[0].at("update"), 2);
  EXPECT_EQ(validations[0].at("bleu"), 12.5);
}

TEST_F(TrainTest, AfterATestScoreThatFailedResumingDoesTheTestScoresAlone) {
  config();
  write_toy_pairs(folder, "test", 5, 3);
  const std::string path = write_toy_config(folder, {"run", kNone, kBrief, /*test=*/true});
  const std::vector<std::string> only_bleu{"--set", "evaluation.metrics=[bleu]"};
  std::vector<std::string> longer = only_bleu;
  longer.insert(longer.end(), {"--set", "training.updates=6", "--resume"});
  ASSERT_EQ(train_with(kSound, path, only_bleu).status, 0);
  // The summary of the shorter run is not taken for that of the longer one.
  EXPECT_EQ(train_with(kBroken, path, longer).status, 1);
  EXPECT_FALSE(fs::exists(run + "/summary.json"));
  const std::string weights = read_file(run + "/model.safetensors");
  const std::string metrics = read_file(run + "/metrics.jsonl");
  const Result resumed = train_with(kSound, path, longer);
  EXPECT_EQ(product(resumed), "");
  EXPECT_THAT(resumed.err, HasSubstr("nothing to do"));
  const json summary = json::parse(read_file(run + "/summary.json"));
  EXPECT_EQ(summary.at("updates"), 6);
  EXPECT_THAT(summary.at("test")[0].get<std::string>(), HasSubstr("BLEU 12.50"));
  EXPECT_TRUE(read_file(run + "/model.safetensors") == weights);
  EXPECT_EQ(read_file(run + "/metrics.jsonl"), metrics);
}

TEST_F(TrainTest, AValidationPairBeyondTheLearnedPositionsIsLeftOutAndNamesTheirKey) {
  config();
  folder.write("valid.src", "a b\na b c d\na c\nb a b c d e\n");
  folder.write("valid.tgt", "b a\nd\nc a\nb\n");
  const char* model =
      "{type: transformer, width: 16, feed_forward: 16, heads: 2, positions: learned, "
      "max_positions: 4}";
  const Result result = train(write_toy_config(folder, {"run", model, kBrief}));
  EXPECT_EQ(result.status, 0);
  const std::string left_out = "longer than the 3 pieces of model.max_positions: 2 (lines 2, 4)";
  EXPECT_THAT(result.err, HasSubstr("data.valid: left out of the loss, " + left_out));
  EXPECT_THAT(result.err, HasSubstr(folder / "valid.src: left out of the loss, " + left_out));
}

// Whose attention alone would take 3 GB in each layer of a model of 8 heads.
TEST_F(TrainTest, AValidationPairOfTenThousandWordsIsLeftOut) {
  config();
  std::string words;
  for (int i = 0; i < 10000; ++i) words += "a ";
  folder.write("valid.src", words + "\na b\na c\n");
  folder.write("valid.tgt", words + "\nb a\nc a\n");
  // Nor does it stop the training where its attention would be drawn.
  const std::string path = write_toy_config(folder, {"run", kTransformer, kBrief});
  const Result result = train(path, {"--set", "training.validation_samples=1"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("valid.src: left out of the loss, longer than the 1024 pieces "
                                    "of decoding.max_source_length: 1 (line 1)"));
}

TEST_F(TrainTest, ResumingWithMoreUpdatesGoesOn) {
  train_toy(config());
  const Result result = train(config(), {"--resume", "--set", "training.updates=6"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("resuming at 4 of 6"));
  EXPECT_EQ(json::parse(read_file(run + "/summary.json")).at("updates"), 6);
}

TEST_F(TrainTest, ResumeStartsWhereThereIsNothingToResume) {
  train_toy(config(), {"--resume"});
  EXPECT_EQ(json::parse(read_file(run + "/summary.json")).at("updates"), 4);
}

}  // namespace
}  // namespace heed::run
