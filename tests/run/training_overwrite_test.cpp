// heed train --overwrite: the older run is there until the new one begins.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run/in_process.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Overwriting : testing::Test {
  TemporaryFolder folder;
  std::string run = folder / "run", aside = run + "/.heed.older-run", config;

  Overwriting() {
    write_toy_pairs(folder, "train", 100, 1);
    write_toy_pairs(folder, "valid", 10, 2);
    config = write(kNone);
    train_toy(config);
  }

  std::string write(const std::string& model) const {
    return write_toy_config(folder, {"run", model, "updates: 4, validate_every: 4, save_every: 4"});
  }

  /// All that is in the run's folder, by path.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(run)) {
      const std::string name = fs::relative(entry.path(), run).string();
      all[name] = entry.is_regular_file() ? read_file(entry.path().string()) : "";
    }
    return all;
  }
  Result overwrite(const std::vector<std::string>& settings) const {
    std::vector<std::string> options{"--overwrite"};
    for (const std::string& setting : settings) options.insert(options.end(), {"--set", setting});
    return train(config, options);
  }
};

/// A mistake that the check does not find, because it needs the vocabulary.
TEST_F(Overwriting, ARunWhoseSuccessorCannotBeginIsBack) {
  const auto before = files();
  const auto expect_back = [&](const Result& result, const std::string& fault) {
    EXPECT_EQ(result.status, 2) << fault;
    EXPECT_THAT(result.err, AllOf(HasSubstr(fault), HasSubstr("the older run is back")));
    EXPECT_TRUE(files() == before) << fault;
  };
  const std::vector<std::string> too_long{"data.max_length=2", "data.long_sentences=error"};
  expect_back(overwrite(too_long), "more than the 2 that data.max_length allows");
  expect_back(overwrite({"data.clean=[overlap]", "data.valid.source=" + (folder / "train.src"),
                         "data.valid.target=" + (folder / "train.tgt")}),
              "no sentence pair is left to use");
  write(
      "{type: transformer, width: 16, feed_forward: 16, heads: 2, positions: learned, "
      "max_positions: 4}");
  folder.write("long.src", "abcdefghijabcdefghij\n");
  folder.write("long.tgt", "a\n");
  expect_back(overwrite({"data.valid.source=" + (folder / "long.src"),
                         "data.valid.target=" + (folder / "long.tgt")}),
              "longer than 3 pieces: 1 (line 1); see model.max_positions");
  EXPECT_THAT(train(run, {"--resume"}).err, HasSubstr("nothing to do"));
}

TEST_F(Overwriting, AKillBeforeTheNewRunLeavesTheOlderOneToTheNextCommand) {
  const auto before = files();
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(run)) paths.push_back(entry.path());
  const auto kill_before_it_begins = [&] {
    fs::create_directory(aside);
    for (const fs::path& path : paths) fs::rename(path, fs::path(aside) / path.filename());
    for (const char* begun : {"run/train.log", "run/joint.spm"}) folder.write(begun, "new\n");
    fs::create_directory(run + "/checkpoints");
  };
  kill_before_it_begins();
  log::set_level(log::Level::warn);  // as --quiet
  expect_mistake(train(config), {run, "holds a run already"});
  log::set_level(log::Level::info);
  EXPECT_TRUE(files() == before);
  kill_before_it_begins();
  EXPECT_THAT(train(run, {"--resume"}).err,
              AllOf(HasSubstr("the older run is back"), HasSubstr("nothing to do")));
  kill_before_it_begins();
  EXPECT_EQ(product(overwrite({"training.updates=5"})), "");
  EXPECT_FALSE(fs::exists(aside));
  EXPECT_THAT(read_file(run + "/config.yaml"), HasSubstr("updates: 5"));
}

TEST_F(Overwriting, AKillAfterwardsLeavesNothingOfTheOlderRun) {
  folder.write("run/.heed.older-run/train.log", "old\n");
  train_toy(config, {"--resume", "--set", "training.updates=5"});
  EXPECT_FALSE(fs::exists(aside));
  EXPECT_NE(read_file(run + "/train.log"), "old\n");
}

TEST(OverwritingNothing, LeavesFilesOfAUser) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  const std::string config = write_toy_config(folder, {"run", kNone, "updates: 1"});
  fs::create_directory(folder / "run");
  for (const char* name : {"config.yaml", "joint.spm", "metrics.jsonl"}) {
    const std::string file = folder.write(std::string("run/") + name, "a user's own\n");
    for (const std::vector<std::string>& wish :
         {std::vector<std::string>{}, {"--overwrite"}, {"--resume"}})
      expect_mistake(train(config, wish), {file + ": is there"});
    EXPECT_EQ(read_file(file), "a user's own\n");
    fs::remove(file);
  }
  train_toy(config);
}

}  // namespace
}  // namespace heed::run
