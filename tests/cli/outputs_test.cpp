// The files that -o and its like may replace, and those that they may not.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::Key;

/// All files below a folder.
std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = read_file(entry.path().string());
  return files;
}

struct Outputs : testing::Test {
  TemporaryFolder folder;
  std::string model = folder / "model", other = folder / "other";
  std::string source, target, gold, antecedents;

  Outputs() {
    // Copies: a test that fails may have destroyed them.
    fs::copy(Toy::get().transformer, model, fs::copy_options::recursive);
    fs::copy(Toy::get().rnn, other, fs::copy_options::recursive);
    source = folder.write("x.src", "a b c\nd e\n");
    target = folder.write("x.tgt", "c b a\ne d\n");
    gold = folder.write("x.align", "0-0\n0-0\n");
    antecedents = folder.write("x.ant", "\n\n");
  }

  /// Exit code 2, and nothing that was there has changed.
  void expect_refused(std::vector<std::string> command, const std::vector<std::string>& option,
                      const std::string& why) const {
    command.insert(command.end(), option.begin(), option.end());
    const auto before = files_in(folder.path());
    SCOPED_TRACE(join(command, " "));
    expect_mistake(run_heed(command), {option.back() + ": ", why});
    EXPECT_EQ(files_in(folder.path()), before);
  }

  /// Every command that writes files, with all files that it can read.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> commands() const {
    return {
        {{"evaluate", model, "--source", source, "--reference", target}, {"-o"}},
        {{"translate", model, source, "--prefix", target, "--resume"}, {"-o"}},
        {{"contrast", model, "--source", source, "--antecedents", antecedents, "--forms", "m=a"},
         {"-o"}},
        {{"heads", model, "--source", source, "--target", target, "--gold", gold}, {"-o"}},
        {{"vocab", source, target, "--size", "20"}, {"-o"}},
        {{"faithful", model, "--source", source, "--target", target, "--gold", gold},
         {"-o", "--html"}},
        {{"align", model, "--source", source, "--target", target, "--gold", gold}, {"-o"}},
        {{"contrast", model, "--source", source, "--right", target, "--wrong", target}, {"-o"}},
        {{"lengths", model, "--hypothesis", "mine=" + target, "--source", source, "--reference",
          target},
         {"--csv", "--svg"}},
        {{"init", source, target, "--force"}, {"-o"}}};
  }
};

TEST_F(Outputs, ReplaceNothingThatTheCommandReads) {
  for (const auto& [command, options] : commands())
    for (const std::string& argument : command) {
      const std::string file = argument.substr(argument.find('=') + 1);
      if (fs::is_regular_file(file))
        expect_refused(command, {options.back(), file}, "is read by this command");
    }
}

TEST_F(Outputs, ReplaceNothingOfARun) {
  for (const auto& [command, options] : commands())  // which do not read that run
    for (const std::string& option : options)
      expect_refused(command, {option, other + "/model.safetensors"}, "belongs to the run in");
}

TEST_F(Outputs, ReplaceNoFileOfARunByWhateverPath) {
  const std::vector<std::string> evaluate{"evaluate", model + "," + other, "--source",
                                          source,     "--reference",       target};
  for (const char* name : {"config.yaml", "joint.spm", "metrics.jsonl", "train.log", "summary.json",
                           "provenance.json", "test.hypothesis"}) {
    ASSERT_TRUE(fs::exists(other + "/" + name)) << name;
    expect_refused(evaluate, {"-o", other + "/" + name}, "belongs to the run in " + other);
  }
  const std::string checkpoint = fs::directory_iterator(other + "/checkpoints")->path().string();
  expect_refused(evaluate, {"-o", checkpoint}, "belongs to the run in " + other);
  const std::string weights = other + "/model.safetensors", link = folder / "link",
                    hard = folder / "hard";
  fs::create_symlink("other/model.safetensors", link);
  fs::create_hard_link(weights, hard);
  fs::create_directory_symlink("other", folder / "linked");
  expect_refused(evaluate, {"-o", link}, "belongs to the run");
  expect_refused(evaluate, {"-o", hard}, "belongs to the run");
  expect_refused(evaluate, {"-o", folder / "linked/model.safetensors"}, "belongs to the run");
  expect_refused({"vocab", source}, {"-o", link}, "belongs to the run");  // it reads no run
}

TEST_F(Outputs, OfAUserMayLieInTheFolderOfARunAndBeReplaced) {
  const QuickScorer scorer;
  const std::string mine = model + "/mine.hypothesis";
  for (int time = 0; time < 2; ++time)
    product(run_heed({"evaluate", model, "--source", source, "--reference", target, "-o", mine}));
  EXPECT_EQ(lines_of(read_file(mine)).size(), 2U);
}

TEST_F(Outputs, OfExportAreAllOldOrAllNewOnAFullDisk) {
  const std::string out = folder / "out";
  product(run_heed({"export", model, "-o", out}));
  const auto before = files_in(out);
  // Two vocabularies, and larger weights.
  write_toy_pairs(folder, "train", 60, 1);
  std::string other_words;
  for (const std::string& line : lines_of(read_file(folder / "train.tgt")))
    other_words += line + " k\n";
  folder.write("train.tgt", other_words);
  write_toy_pairs(folder, "valid", 10, 2);
  train_toy(write_toy_config(folder, {"new",
                                      "{type: transformer, width: 256, feed_forward: 256, heads: "
                                      "2, encoder_layers: 1, decoder_layers: 1}",
                                      "updates: 1", false, 1, "kind: separate, size: 20"}));
  const Result full = subprocess::run({"bash", "-c", "trap '' XFSZ; ulimit -f 1000; exec \"$@\"",
                                       "bash", paths::kHeed, "export", folder / "new", "-o", out});
  expect_one_line_error(full, 1, {out, "model.bin", "cannot write: File too large"});
  EXPECT_EQ(files_in(out), before);
  product(run_heed({"export", folder / "new", "-o", out}));
  const auto after = files_in(out);
  EXPECT_THAT(after, Contains(Key("source.spm")));
  EXPECT_THAT(after, ::testing::Not(Contains(Key("joint.spm"))));
}

TEST_F(Outputs, OfFoldersReplaceNothingOfAUser) {
  const std::string out = folder / "out";
  const auto expect_kept = [&](const std::vector<std::string>& command, const std::string& name) {
    fs::remove_all(out);
    fs::create_directory(out);
    const std::string file = folder.write("out/" + name, "a user's own\n");
    SCOPED_TRACE(join(command, " "));
    expect_mistake(run_heed(command), {file + ": is there already"});
    EXPECT_EQ(read_file(file), "a user's own\n");
    EXPECT_EQ(files_in(out).size(), 1U);
  };
  for (const char* name : {"joint.spm", "source.spm", "config.json", "model.bin"})
    expect_kept({"export", model, "-o", out}, name);
  for (const char* name : {"joint.spm", "model.safetensors"}) {
    expect_kept({"average", model, "-o", out}, name);
    expect_kept({"prune", model, "--heads", "encoder.0.0", "-o", out}, name);
  }
  for (const char* name : {"attention.csv", "attention.html"})
    expect_kept({"attention", model, "--text", "a b", "--pictures", "none", "-o", out}, name);
  for (const char* name : {"curves.csv", "loss.svg"})
    expect_kept({"runs", "--curves", model, "-o", out}, name);
}

TEST_F(Outputs, OfFoldersReplaceWhatHeedWrote) {
  const std::string out = folder / "out";
  const std::vector<std::vector<std::string>> commands{
      {"export", model, "-o", out + "/export"},
      {"attention", model, "--text", "a b", "--pictures", "grid", "-o", out + "/attention"},
      {"runs", "--curves", model, "-o", out + "/curves"}};
  for (const auto& command : commands) {
    EXPECT_EQ(run_heed(command).status, 0);
    const auto before = files_in(command.back());
    const Result again = run_heed(command);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(files_in(command.back()), before);
  }
}

}  // namespace
}  // namespace heed::cli
