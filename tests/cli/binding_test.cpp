// Weights, vocabulary and configuration of a folder belong together: a folder of which one was
// changed is refused by every command.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "cli/weights_file.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using Commands = std::vector<std::vector<std::string>>;

/// A copy of a trained model for a test to change.
struct Binding : testing::Test {
  TemporaryFolder folder;
  std::string model = folder / "model";
  std::string weights = model + "/model.safetensors", config = model + "/config.yaml";
  std::string source = folder.write("source", "a b\n"), target = folder.write("target", "b a\n");

  Binding() { fs::copy(Toy::get().transformer, model, fs::copy_options::recursive); }

  /// Another vocabulary, of as many pieces as the model's.
  std::string other_vocabulary() const {
    write_toy_pairs(folder, "other", 300, 9);
    product(run_heed({"vocab", folder / "other.src", "--size", "32", "--algorithm", "bpe", "-o",
                      folder / "other.spm"}));
    return read_file(folder / "other.spm");
  }
  static void change(const std::string& config, const std::string& from, const std::string& to) {
    std::string text = read_file(config);
    const std::size_t at = text.find("\n" + from + "\n");
    ASSERT_NE(at, std::string::npos) << from;
    write_atomic(config, text.replace(at + 1, from.size(), to));
  }
  Result translate() const { return run_heed({"translate", model, source}); }

  /// One of each command that opens a model.
  Commands commands() const {
    const std::string& whole = Toy::get().transformer;
    const std::string run = write_toy_config(folder, {"run", kTransformer, "updates: 1"});
    write_toy_pairs(folder, "train", 60, 1);
    write_toy_pairs(folder, "valid", 5, 2);
    Commands all = {{"translate", model, source},
                    {"translate", whole + "," + model, source},
                    {"translate", model + "," + whole, source},
                    {"serve", model, "--port", "0"},
                    {"score", model, source, target},
                    {"evaluate", model, "--source", source, "--reference", target},
                    {"lengths", model, "--source", source, "--reference", target},
                    {"attention", model, "--text", "a b"},
                    {"inspect", model},
                    {"contrast", model, "--source", source, "--right", target, "--wrong", source},
                    {"prune", model, "--heads", "cross.0.0", "-o", folder / "smaller"},
                    {"export", model, "-o", folder / "exported"},
                    {"average", model, "-o", folder / "mean"},
                    {"train", run, "--set", "training.from=" + model}};
    for (const char* name : {"align", "heads", "faithful"})
      all.push_back({name, model, "--source", source, "--target", target});
    for (const auto& entry : fs::directory_iterator(model + "/checkpoints"))
      all.push_back({"average", entry.path(), "-o", folder / "mean"});
    return all;
  }
  static void expect_refused_by(const Commands& commands, const std::vector<std::string>& parts) {
    for (const auto& command : commands) {
      SCOPED_TRACE(join(command, " "));
      const Result result = run_heed(command);
      EXPECT_EQ(result.status, 2) << result.err;
      EXPECT_EQ(result.out, "");
      const std::string last = result.err.empty() ? "" : lines_of(result.err).back();
      for (const std::string& part : parts) EXPECT_THAT(last, HasSubstr(part));
    }
  }
};

TEST_F(Binding, AnotherVocabularyUnderTheSameNameIsRefusedByEveryCommand) {
  write_atomic(model + "/joint.spm", other_vocabulary());
  expect_refused_by(commands(), {"heed: " + model + "/joint.spm: is vocabulary ", ", and " + model,
                                 " was trained with ", "put that vocabulary back"});
}

TEST_F(Binding, AnEditedKeyOfTheNetworkIsRefusedByEveryCommand) {
  change(config, "  heads: 4", "  heads: 2");
  expect_refused_by(commands(),
                    {"heed: " + config + ": model.heads: 2 (trained with 4); set what " + model});
}

TEST_F(Binding, EveryKeyThatChangesTheResultIsNamedWithBothValues) {
  const std::string before = read_file(config);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"heads: 4", "heads: 8"},
           {"positions: sinusoidal", "positions: none"},
           {"norm: pre", "norm: post"},
           {"width: 32", "width: 64"},
           {"activation: relu", "activation: gelu"},
           {"sliding_window: 0", "sliding_window: 1"},
           {"attention_normaliser: softmax", "attention_normaliser: sparsemax"},
           {"pruned_heads: []", "pruned_heads: [cross.0.1]"},
           {"type: transformer", "type: rnn"}}) {
    change(config, "  " + from, "  " + to);
    const std::string key = from.substr(0, from.find(':'));
    const std::string told = "model." + to + " (trained with " + from.substr(key.size() + 2) + ")";
    expect_mistake(translate(), {config + ": ", told});
    write_atomic(config, before);
  }
  change(config, "  tie: all", "  tie: none");
  change(config, "    kind: joint", "    kind: separate");
  expect_mistake(translate(), {config, "data.vocabulary.kind: separate (trained with joint)",
                               "model.tie: none (trained with all)"});
}

TEST_F(Binding, ASettingOfTheNetworkIsRefusedToo) {
  expect_mistake(run_heed({"score", model, source, target, "--set", "model.heads=2"}),
                 {"heed: --set: model.heads: 2 (trained with 4)"});
}

TEST_F(Binding, WhatChangesNoResultMayBeEdited) {
  const std::string before = product(translate());
  change(config, "  dropout: 0.0", "  dropout: 0.3");
  change(config, "  hidden_size: 512", "  hidden_size: 256");  // of the other type
  change(config, "  learning_rate: 0.01", "  learning_rate: 0.02");
  const Result result = translate();
  EXPECT_EQ(product(result), before);
  EXPECT_THAT(result.err, Not(HasSubstr("earlier version")));
}

TEST_F(Binding, WeightsOfAnotherModelAreRefusedThoughTheyFit) {
  const std::string other = folder / "other";
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  train_toy(write_toy_config(folder, {"other", kTransformer, "updates: 1"}),
            {"--set", "data.vocabulary.size=32", "--set", "model.norm=post"});
  for (const auto& entry : fs::directory_iterator(other + "/checkpoints"))
    if (entry.path().extension() == ".safetensors") {
      fs::copy_file(entry.path(), weights, fs::copy_options::overwrite_existing);
      expect_mistake(translate(), {config, "model.norm: pre (trained with post)", weights});
    }
}

TEST_F(Binding, EveryNewModelSaysWhatItBelongsTo) {
  const std::string run = write_toy_config(folder, {"run", kTransformer, "updates: 1"});
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  product(run_heed({"train", run, "--set", "training.from=" + model}));
  product(run_heed({"average", model, "-o", folder / "mean"}));
  product(run_heed({"prune", model, "--heads", "cross.0.1", "-o", folder / "smaller"}));
  const std::string other = other_vocabulary();
  for (const char* name : {"run", "mean", "smaller"}) {
    SCOPED_TRACE(name);
    const std::string made = folder / name;
    const Result whole = run_heed({"translate", made, source});
    EXPECT_EQ(whole.status, 0);
    EXPECT_THAT(whole.err, Not(HasSubstr("earlier version")));
    write_atomic(made + "/joint.spm", other);
    expect_mistake(run_heed({"translate", made, source}), {made + "/joint.spm"});
  }
  expect_mistake(
      run_heed({"translate", folder / "smaller", source, "--set", "model.pruned_heads=[]"}),
      {"model.pruned_heads: [] (trained with [cross.0.1])"});
}

TEST_F(Binding, AnEarlierVersionsModelIsOpenedWithAWarningThatNamesTheCure) {
  const std::string before = product(translate());
  WeightsFile(weights).forget_what_it_belongs_to();
  const Result result = translate();
  EXPECT_EQ(product(result), before);
  EXPECT_THAT(result.err,
              HasSubstr("warning: " + weights + ": an earlier version of heed wrote it"));
  EXPECT_THAT(result.err, HasSubstr("`heed average " + model + " -o NEW`"));
  product(run_heed({"average", model, "-o", folder / "mean"}));
  EXPECT_THAT(run_heed({"translate", folder / "mean", source}).err,
              Not(HasSubstr("earlier version")));
}

TEST_F(Binding, AnotherTextNormaliserIsNamed) {
  WeightsFile(weights).rewrite_metadata(
      [](nlohmann::json& metadata) { metadata["text_normaliser"] = "2"; });
  expect_mistake(translate(),
                 {weights + ": was trained with text normaliser 2", "this heed has 1"});
}

}  // namespace
}  // namespace heed::cli
