// The keys that a resumed run may change; where it may not, it leaves everything as it was.
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/lock.h"
#include "cli/weights_file.h"
#include "quick_scorer.h"
#include "run/in_process.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A finished run of four updates.
struct ResumeConfigTest : ToyRunTest {
  const QuickScorer scorer;
  std::string yaml = write_config();

  ResumeConfigTest() { train_toy(yaml); }

  void edit(const std::string& from, const std::string& to) const {
    std::string text = file("config.yaml");
    const std::size_t at = text.find(from + "\n");
    ASSERT_NE(at, std::string::npos) << from;
    write_atomic(run + "/config.yaml", text.replace(at, from.size(), to));
  }

  static Result resume(const std::string& what, const std::vector<std::string>& settings = {}) {
    std::vector<std::string> options{"--resume"};
    for (const std::string& setting : settings) options.insert(options.end(), {"--set", setting});
    return train(what, options);
  }
  int64_t updates() const {
    return nlohmann::json::parse(file("summary.json")).at("updates").get<int64_t>();
  }
};

TEST_F(ResumeConfigTest, AFixedKeyIsRefusedByNameAndNothingIsWritten) {
  const std::string config = file("config.yaml"), log = file("train.log"),
                    summary = file("summary.json");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"model.width=64", "model.width: 32 (wanted: 64)"},
      {"model.heads=2", "model.heads: 4 (wanted: 2)"},
      {"seed=8", "seed: 7 (wanted: 8)"},
      {"training.batch_size=300", "training.batch_size: 400 (wanted: 300)"},
      {"training.learning_rate=0.1", "training.learning_rate: 5.0e-04 (wanted: 0.1)"},
      {"data.vocabulary.size=30", "data.vocabulary.size: 32 (wanted: 30)"},
      {"data.train.weight=2", "data.train.0.weight: 1.0 (wanted: 2.0)"}};
  for (const auto& [setting, told] : changes)
    expect_mistake(resume(yaml, {setting}),
                   {run + "/config.yaml", told, "--overwrite", "another output"});
  expect_mistake(resume(run, {"model.heads=2", "decoding.beam_size=1", "seed=8"}),
                 {"seed: 7 (wanted: 8), model.heads: 4 (wanted: 2)"});
  EXPECT_EQ(file("config.yaml"), config);
  EXPECT_EQ(file("train.log"), log);
  EXPECT_EQ(file("summary.json"), summary);
  EXPECT_EQ(open_model(run).translator().translate({.lines = {"a b"}}).translations.size(), 1U);
}

// guided_layer is what taught_layer was called.
TEST_F(ResumeConfigTest, AFormerNameOfAKeyIsNoDifference) {
  edit("  taught_layer: -2", "  guided_layer: -2");
  expect_mistake(resume(run, {"training.guided_layer=-1"}),
                 {"training.taught_layer: -2 (wanted: -1)"});
  EXPECT_EQ(resume(run, {"training.updates=6", "training.guided_layer=-2"}).status, 0);
  EXPECT_EQ(updates(), 6);
  EXPECT_THAT(file("config.yaml"),
              AllOf(HasSubstr("taught_layer: -2"), Not(HasSubstr("guided_layer"))));
}

TEST_F(ResumeConfigTest, TheNumberOfPartsIsDecidedWhenTheRunBegins) {
  EXPECT_THAT(file("config.yaml"), HasSubstr("  micro_batches: 1\n"));  // of batches of 400 tokens
  EXPECT_THAT(file("train.log"), Not(HasSubstr("micro_batches")));      // one thread computes all
  expect_mistake(resume(yaml, {"training.micro_batches=2"}),
                 {"training.micro_batches: 1 (wanted: 2)"});
  EXPECT_EQ(product(resume(yaml, {"training.updates=5"})), "");
  EXPECT_EQ(updates(), 5);
  EXPECT_THAT(file("config.yaml"), HasSubstr("  micro_batches: 1\n"));
}

TEST_F(ResumeConfigTest, TheWarmUpIsFixedHoweverItIsWritten) {
  const auto warmup = [](int64_t updates) { return "training.warmup=" + std::to_string(updates); };
  for (const auto& [schedule, same] :
       std::vector<std::pair<std::string, int64_t>>{{"inverse_sqrt", 4000}, {"constant", 0}}) {
    SCOPED_TRACE(schedule);
    const std::string own = write_toy_config(
        folder, {schedule, kNone, "updates: 2, validate_every: 2, schedule: " + schedule});
    train_toy(own, {"--set", warmup(same)});
    EXPECT_EQ(product(resume(own, {warmup(-1)})), "");
    EXPECT_EQ(product(resume(own, {warmup(same), "training.updates=3"})), "");
    expect_mistake(resume(own, {warmup(7), "training.updates=4"}),
                   {"training.warmup: " + std::to_string(same) + " (wanted: 7)"});
  }
  const std::string own = write_toy_config(
      folder, {"risen", kNone, "updates: 2, validate_every: 2, schedule: constant"});
  train_toy(own, {"--set", warmup(4000)});
  expect_mistake(resume(own, {warmup(-1), "training.updates=3"}),
                 {"training.warmup: 4000 (wanted: -1)"});
}

TEST_F(ResumeConfigTest, FreeKeysGoOnAndAreNamedInTheLog) {
  const Result result =
      resume(run, {"training.updates=6", "training.early_stopping.patience=3",
                   "decoding.beam_size=2", "data.test.source=" + (folder / "valid.src"),
                   "data.test.target=" + (folder / "valid.tgt"), "threads=2"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("training.updates: 4 -> 6"), HasSubstr("decoding.beam_size: 5 -> 2"),
                    HasSubstr("threads: 1 -> 2"), HasSubstr("resuming at 4 of 6")));
  EXPECT_EQ(updates(), 6);
  EXPECT_EQ(lines_of(file("test.hypothesis")).size(), 10U);
  EXPECT_THAT(file("config.yaml"), HasSubstr("  updates: 6\n"));
  EXPECT_THAT(file("train.log"), HasSubstr("training.updates: 4 -> 6"));
}

TEST_F(ResumeConfigTest, TranslationsOfAnEarlierTestSetAreNotKept) {
  const std::string set = write_toy_pairs(folder, "set", 3, 4);
  const std::vector<std::string> test = {"data.test.source=" + set + ".src",
                                         "data.test.target=" + set + ".tgt"};
  product(resume(run, test));
  const std::string before = file("summary.json");
  EXPECT_EQ(lines_of(file("test.hypothesis")).size(), 3U);
  product(resume(run));
  EXPECT_EQ(file("summary.json"), before);  // the same lines: nothing to do
  write_toy_pairs(folder, "set", 7, 5);
  const Result changed = resume(run);
  product(changed);
  EXPECT_THAT(changed.err, HasSubstr(set + ".src: has changed since the run in " + run +
                                     " began; the test set is scored again"));
  EXPECT_EQ(lines_of(file("test.hypothesis")).size(), 7U);
  product(resume(yaml));  // which has none
  EXPECT_FALSE(fs::exists(run + "/test.hypothesis"));
}

TEST_F(ResumeConfigTest, FewerUpdatesThanWereMadeAreRefusedAndNothingIsWritten) {
  const std::string config = file("config.yaml");
  const Result result = resume(yaml, {"training.updates=3"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("heed: training.updates: got 3, but the run in " + run +
                                    " has made 4 updates"));
  EXPECT_EQ(file("config.yaml"), config);
  EXPECT_EQ(updates(), 4);
}

TEST_F(ResumeConfigTest, ADamagedCheckpointLeavesTheConfigAsItWas) {
  const std::string config = file("config.yaml");
  for (const auto& entry : fs::directory_iterator(run + "/checkpoints"))
    if (entry.path().extension() == ".heed") fs::resize_file(entry.path(), 100);
  EXPECT_EQ(resume(run, {"training.updates=6"}).status, 2);
  EXPECT_EQ(file("config.yaml"), config);
}

TEST_F(ResumeConfigTest, AnOldConfigWithFewerKeysIsTheSameConfig) {
  std::string kept;
  for (const std::string& line : lines_of(file("config.yaml")))
    if (!line.starts_with("deterministic:") && !line.starts_with("  pool:") &&
        !line.starts_with("  activation:") && !line.starts_with("  ema:") &&
        !line.starts_with("  micro_batches:"))
      kept += line + "\n";
  write_atomic(run + "/config.yaml", kept);
  const Result result = resume(yaml);
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("nothing to do"), Not(HasSubstr("changed")), Not(HasSubstr("done"))));
  EXPECT_EQ(product(resume(run, {"training.updates=5"})), "");
  EXPECT_EQ(updates(), 5);
}

TEST_F(ResumeConfigTest, AnEditedConfigIsComparedWithTheCheckpoint) {
  const std::string before = file("config.yaml"), weights = file("model.safetensors");
  for (const auto& [from, to, told] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"  learning_rate: 5.0e-04", "  learning_rate: 0.1",
            "training.learning_rate: 5.0e-04 (wanted: 0.1)"},
           {"  dropout: 0.1", "  dropout: 0.0", "model.dropout: 0.1 (wanted: 0.0)"},
           {"  schedule: inverse_sqrt", "  schedule: cosine",
            "training.schedule: inverse_sqrt (wanted: cosine)"},
           {"  heads: 4", "  heads: 2", "model.heads: 4 (wanted: 2)"},
           {"    kind: joint", "    kind: separate",
            "data.vocabulary.kind: joint (wanted: separate)"},
           {"precision: fp32", "precision: bf16", "precision: fp32 (wanted: bf16)"},
           {"seed: 7", "seed: 8", "seed: 7 (wanted: 8)"}}) {
    SCOPED_TRACE(told);
    edit(from, to);
    if (to == "    kind: separate") edit("  tie: all", "  tie: none");
    for (const auto& settings : {std::vector<std::string>{}, {"training.updates=6"}})
      expect_mistake(resume(run, settings), {run + "/config.yaml was edited", told, "set it back"});
    write_atomic(run + "/config.yaml", before);
  }
  EXPECT_TRUE(file("model.safetensors") == weights);
  EXPECT_EQ(product(resume(run, {"training.updates=6"})), "");
  EXPECT_EQ(updates(), 6);
}

TEST_F(ResumeConfigTest, TheFileThatTheRunWasStartedWithRepairsAnEditedConfig) {
  const std::string before = file("config.yaml");
  edit("  learning_rate: 5.0e-04", "  learning_rate: 0.1");
  EXPECT_EQ(product(resume(yaml)), "");
  EXPECT_EQ(file("config.yaml"), before);
}

TEST_F(ResumeConfigTest, AFreeKeyThatIsEditedInTheConfigIsNamedInTheLogOnce) {
  edit("  updates: 4", "  updates: 5");
  edit("  beam_size: 5", "  beam_size: 3");
  const Result result = resume(run);
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("training.updates: 4 -> 5"),
                                HasSubstr("decoding.beam_size: 5 -> 3")));
  edit("  beam_size: 3", "  beam_size: 2");  // and nothing is to be trained
  EXPECT_THAT(resume(run).err, HasSubstr("configuration: decoding.beam_size: 3 -> 2\n"));
  EXPECT_THAT(resume(run).err, Not(HasSubstr("another configuration")));
}

TEST_F(ResumeConfigTest, PathsOfMovedCorporaMayBeEdited) {
  const auto move = [&](const std::string& from, const std::string& to) {
    fs::rename(folder / from, folder / to);
    edit("source: " + (folder / from), "source: " + (folder / to));
  };
  move("train.src", "moved.src");
  move("valid.src", "moved_valid.src");
  const Result result = resume(run, {"training.updates=6"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, AllOf(HasSubstr((folder / "train.src") + " -> " + (folder / "moved.src")),
                                HasSubstr(" -> " + (folder / "moved_valid.src"))));
  EXPECT_EQ(updates(), 6);
  write_toy_pairs(folder, "else", 10, 5);
  edit("source: " + (folder / "moved_valid.src"), "source: " + (folder / "else.src"));
  const Result refused = resume(run, {"training.updates=8"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("heed: " + (folder / "else.src") +
                                           ": is not the file of data.valid that the run"),
                                 HasSubstr(folder / "moved_valid.src")));
  EXPECT_EQ(updates(), 6);
}

TEST_F(ResumeConfigTest, AnotherVocabularyInTheFolderIsNamed) {
  write_toy_pairs(folder, "other", 300, 9);
  text::train_vocabulary({.files = {folder / "other.src"}, .size = 32, .algorithm = "bpe"})
      .save(run + "/joint.spm");
  for (const std::string& what : {run, yaml})
    expect_mistake(resume(what, {"training.updates=6"}),
                   {run + "/joint.spm: is vocabulary ", run + "/checkpoints/update-00000004.heed"});
}

TEST_F(ResumeConfigTest, ACheckpointOfAnEarlierVersionSaysMoreOnceItWasResumed) {
  const std::string newest = run + "/checkpoints/update-00000004.heed";
  for (const auto& entry : fs::directory_iterator(run + "/checkpoints"))
    WeightsFile(entry.path()).forget_what_it_belongs_to();
  edit("  learning_rate: 5.0e-04", "  learning_rate: 6.0e-04");  // nobody knows
  EXPECT_EQ(product(resume(run)), "");
  edit("  learning_rate: 6.0e-04", "  learning_rate: 7.0e-04");
  expect_mistake(resume(run), {"training.learning_rate: 6.0e-04 (wanted: 7.0e-04)"});
}

TEST_F(ResumeConfigTest, OfADamagedCheckpointTheConfigurationIsNotUsed) {
  const std::string newest = run + "/checkpoints/update-00000004.heed";
  std::string bytes = read_file(newest);
  const std::string key = "\\n  learning_rate: 5";
  ASSERT_NE(bytes.find(key), std::string::npos);
  bytes[bytes.find(key) + key.size() - 1] = '6';
  write_atomic(newest, bytes);
  const Result result = resume(run, {"training.updates=6"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr(newest + ": corrupt: its checksum is wrong"));
  EXPECT_EQ(updates(), 6);
}

TEST_F(ResumeConfigTest, AMissingConfigIsNamedWithTheCure) {
  fs::remove(run + "/config.yaml");
  expect_mistake(resume(yaml), {run + "/config.yaml", "heed config", "--overwrite"});
  expect_mistake(resume(run), {run, "no config.yaml"});
}

TEST_F(ResumeConfigTest, AModelWhoseCheckpointsAreGoneIsNotTrainedOver) {
  const std::string weights = file("model.safetensors");
  fs::remove_all(run + "/checkpoints");
  expect_mistake(resume(yaml), {run, "no checkpoint", "--overwrite"});
  expect_mistake(train(yaml), {run, "--overwrite"});
  EXPECT_TRUE(file("model.safetensors") == weights);
}

TEST_F(ResumeConfigTest, AMovedFolderGoesOnWhereItIs) {
  const std::string moved = folder / "it's moved";
  fs::rename(run, moved);
  const Result result = resume(moved, {"training.updates=6"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("done: heed translate '" + (folder / "it'\\''s moved") + "'"));
  EXPECT_FALSE(fs::exists(run));
  EXPECT_EQ(nlohmann::json::parse(read_file(moved + "/summary.json")).at("updates"), 6);
}

TEST_F(ResumeConfigTest, AFolderIsOnlyForGoingOn) {
  expect_mistake(train(run), {run, "`heed train " + run + " --resume`"});
  expect_mistake(resume(run, {"output=" + (folder / "other")}), {"--set output", run});
  fs::create_directory(folder / "empty");
  expect_mistake(resume(folder / "empty"), {folder / "empty", "no run"});
}

TEST_F(ResumeConfigTest, AnotherCorpusOfTheSameNameIsNoticed) {
  const std::string valid = folder / "valid.tgt", before = read_file(valid),
                    config = file("config.yaml");
  std::string other = before;
  other[0] = other[0] == 'a' ? 'b' : 'a';
  write_atomic(valid, other);
  const Result refused = resume(run, {"training.updates=6"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("heed: " + valid + ": has changed since the run in " + run));
  EXPECT_EQ(file("config.yaml"), config);
  write_atomic(valid, before);
  EXPECT_EQ(resume(run, {"training.updates=6"}).status, 0);
}

TEST_F(ResumeConfigTest, AValidationSetIsNoLessFixedWhereItIsTheTestSetToo) {
  const std::string valid = folder / "valid", more = write_toy_pairs(folder, "more", 5, 3);
  const std::string both =
      write_toy_config(folder, {"both", kNone, "updates: 4, validate_every: 4, save_every: 2"});
  const std::vector<std::string> sets{
      "data.test.source=" + valid + ".src", "data.test.target=" + valid + ".tgt",
      "data.more_valid=[{name: more, source: " + more + ".src, target: " + more + ".tgt}]",
      "training.updates=6"};
  std::vector<std::string> options;
  for (const std::string& setting : sets) options.insert(options.end(), {"--set", setting});
  options.back() = "training.updates=4";
  train_toy(both, options);
  write_toy_pairs(folder, "more", 5, 4);  // which decides nothing
  const Result goes_on = resume(both, sets);
  EXPECT_EQ(goes_on.status, 0) << goes_on.err;
  EXPECT_THAT(goes_on.err, HasSubstr(more + ".src: has changed since the run in "));
  write_toy_pairs(folder, "valid", 10, 5);
  const Result refused = resume(both, sets);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("heed: " + valid + ".src: has changed since the run in "));
}

TEST_F(ResumeConfigTest, WhereOverlapIsLeftOutTheTestSetIsFixed) {
  const std::string test = write_toy_pairs(folder, "test", 5, 3),
                    other = write_toy_pairs(folder, "other", 5, 4);
  const std::string clean =
      write_toy_config(folder, {"clean", kNone, "updates: 4, save_every: 2", /*test=*/true});
  const std::string overlap = "data.clean=[overlap]";
  train_toy(clean, {"--set", overlap});
  expect_mistake(
      resume(clean,
             {overlap, "data.test.source=" + other + ".src", "data.test.target=" + other + ".tgt"}),
      {"data.test.source: " + test + ".src (wanted: " + other + ".src; data.clean: overlap",
       "data.test.target", "--overwrite"});
  write_toy_pairs(folder, "test", 5, 4);
  const Result changed = resume(clean, {overlap, "training.updates=6"});
  EXPECT_EQ(changed.status, 2);
  EXPECT_THAT(changed.err, HasSubstr("heed: " + test + ".src: has changed since the run in "));
}

TEST_F(ResumeConfigTest, OneProcessAtATimeWorksInAFolder) {
  {
    const FolderLock held(run, "a test");
    expect_mistake(resume(run, {"training.updates=6"}),
                   {run, "in use by a test, process " + std::to_string(::getpid()), "since"});
  }
  EXPECT_EQ(updates(), 4);
  fs::copy_file(run + "/config.yaml", run + "/checkpoints/update-00000009.heed.tmp.999999999");
  EXPECT_EQ(resume(run, {"training.updates=6"}).status, 0);
  EXPECT_EQ(updates(), 6);
  EXPECT_FALSE(fs::exists(run + "/.heed.lock"));
  for (const auto& entry : fs::directory_iterator(run + "/checkpoints"))
    EXPECT_EQ(entry.path().string().find(".tmp."), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace heed::run
