// Mistakes in a configuration and in what it names: one line that names the thing and the cure.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "run/in_process.h"
#include "run/model_folder.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;

struct ConfigMistakes : testing::Test {
  Quiet quiet;
  TemporaryFolder folder;

  Result train(const std::string& yaml) const { return run::train(folder.write("c.yaml", yaml)); }
  /// The output of `heed config` for a file.
  static Result load(const std::string& file, const std::vector<std::string>& settings = {}) {
    return outcome_of([&] { load_config(file, settings); });
  }
  /// A run of a tiny model on forty pairs; its training source is said to be `train_source`.
  std::string corpora(const std::string& train_source = "train.src", int vocabulary = 30) const {
    write_toy_pairs(folder, "train", 40, 5);
    const std::string target = ", target: " + (folder / "train.tgt") + "}\n";
    return "output: " + (folder / "run") + "\ndata:\n  train: {source: " + (folder / train_source) +
           target + "  valid: {source: " + (folder / "train.src") + target +
           "  vocabulary: {algorithm: bpe, size: " + std::to_string(vocabulary) + "}\n" +
           "model: " + kNone + "\ntraining: {validate_bleu: false, updates: 2}\n";
  }
  /// Adds a line to the training target.
  void lengthen() const { std::ofstream(folder / "train.tgt", std::ios::app) << "a b\n"; }
};

TEST_F(ConfigMistakes, AnUnknownKeyNamesFileLineAndNeighbour) {
  expect_mistake(train("seed: 1\ntraining:\n  updats: 3\n"),
                 {"c.yaml:3", "training.updats", "unknown key", "'updates'"});
}

TEST_F(ConfigMistakes, AnotherTrainersKeyIsTranslated) {
  expect_mistake(train("training: {accum_count: 3}\n"), {"c.yaml:1", "accum_count", "accumulate"});
}

TEST_F(ConfigMistakes, GoldAlignmentsNeedTheWordsOfCutText) {
  const std::string file = folder.write(
      "cut.yaml",
      "data:\n  train: {source: s, target: t}\n  test: {source: s, target: t}\n  vocabulary: "
      "{algorithm: pieces}\nevaluation: {alignments: links}\n");
  expect_mistake(load(file), {"evaluation.alignments", "data.vocabulary.codes", "data.pieces"});
  EXPECT_EQ(load(file, {"data.pieces=true"}).status, 0);
  EXPECT_EQ(load(file, {"data.vocabulary.codes=[codes]"}).status, 0);
}

TEST_F(ConfigMistakes, AWrongTypeNamesTheKeyAndWhatItTakes) {
  expect_mistake(train("training: {updates: many}\n"),
                 {"c.yaml:1", "training.updates", "whole number", "'many'"});
}

TEST_F(ConfigMistakes, AValueOutOfRangeNamesTheRange) {
  expect_mistake(train("model: {dropout: 1.5}\n"), {"c.yaml:1", "model.dropout", "0.9"});
}

TEST_F(ConfigMistakes, ACoverageThatSentencePieceRefusesIsRefusedAtOnce) {
  expect_mistake(train("data:\n  vocabulary: {coverage: 0.97}\n"),
                 {"c.yaml:2", "data.vocabulary.coverage", "0.98"});
}

TEST_F(ConfigMistakes, AMistypedChoiceNamesItsNeighbour) {
  expect_mistake(train("model: {type: rnn, attention: bahdanu}\n"),
                 {"model.attention", "'bahdanau'"});
}

TEST_F(ConfigMistakes, ABrokenRuleBetweenKeysNamesThem) {
  expect_mistake(train("model: {width: 30, heads: 4}\n"), {"heads", "width"});
}

TEST_F(ConfigMistakes, ADecodingThatTheModelCannotDoIsRefusedBeforeTraining) {
  const std::string blind = "model: {type: rnn, attention: none}\ndecoding: ";
  expect_mistake(train(blind + "{coverage_penalty: 0.2}\n"),
                 {"decoding.coverage_penalty", "model.attention is none"});
  expect_mistake(train(blind + "{alignment: {head: 0}}\n"),
                 {"decoding.alignment.head", "model.attention is none"});
  expect_mistake(train("model: {type: rnn}\ndecoding: {alignment: {layer: 0}}\n"),
                 {"decoding.alignment.layer", "no layers of attention"});
  const std::string two =
      "model: {decoder_layers: 2, heads: 4, pruned_heads: [cross.1.3]}\n"
      "decoding: {alignment: ";
  expect_mistake(train(two + "{layer: 2}}\n"),
                 {"decoding.alignment.layer", "no layer 2", "model.decoder_layers is 2"});
  expect_mistake(train(two + "{head: 4}}\n"),
                 {"decoding.alignment.head", "no head 4", "model.heads is 4"});
  expect_mistake(train(two + "{layer: 1, head: 3}}\n"),
                 {"decoding.alignment.head", "model.pruned_heads names head 3 of layer 1"});
}

TEST_F(ConfigMistakes, YamlThatIsNoneNamesTheLine) {
  expect_mistake(train("seed: 1\nmodel: {width: 3\n"), {"c.yaml:"});
}

TEST_F(ConfigMistakes, AMistakeInSetNamesTheKey) {
  const std::string file = folder.write("c.yaml", "seed: 1\n");
  expect_mistake(run::train(file, {"--set", "model.haeds=2"}),
                 {"--set", "model.haeds", "'model.heads'"});
  expect_mistake(run::train(file, {"--set", "model.heads"}), {"--set", "model.heads", "="});
  expect_mistake(run::train(file, {"--set", "model.heads=few"}), {"--set", "model.heads", "'few'"});
}

TEST_F(ConfigMistakes, ConfigurationsMadeToFillMemoryAreRefusedInOneLine) {
  std::string laughs = "name: &a " + std::string(500000, 'x') + "\nsystems: [{name: x, set: [";
  for (int i = 0; i < 9999; ++i) laughs += "*a, ";
  expect_mistake(train(laughs + "]}]\n"), {"c.yaml:1", "systems.0.set", "aliases"});
  expect_mistake(train("model: " + std::string(99999, '[')), {"c.yaml:1"});
  expect_mistake(train("model: " + std::string(99999, '{')), {"c.yaml:1"});
  const std::string file = folder.write("c.yaml", "seed: 1\n");
  fs::resize_file(file, 100 << 20);
  expect_mistake(run::train(file), {"c.yaml: has 100.0 MiB", "at most 1.0 MiB"});
}

TEST_F(ConfigMistakes, OddBytesInSetAreQuotedInOneLine) {
  const std::string file = folder.write("c.yaml", "seed: 1\n");
  for (const char* setting :
       {"a\nb", "\x01\x1B[2J=3", "\xFF\xFE=\xC3", "model.heads=\xFF\n", "model=[\x01", "=\n", "\n",
        "model.heads=&a [*a]", "data.train.99999999999999999999.source=x", "systems.0.set=*a"})
    expect_mistake(run::train(file, {"--set", setting}), {"--set"});
  expect_mistake(run::train(file, {"--set", std::string(99999, 'x')}), {"--set xxx", "x..."});
}

TEST_F(ConfigMistakes, WhatSetCannotMeanIsRefused) {
  const auto refused = [&](const std::string& setting, const std::vector<std::string>& parts) {
    SCOPED_TRACE(setting);
    expect_mistake(outcome_of([&] { with_settings(Config(), {setting}); }), parts);
  };
  refused("data.clean=[duplicates],overlap",
          {"--set data.clean: one value is expected, and ',overlap' is left over"});
  for (const char* set : {"data.valid", "data.test"})
    for (const char* nothing : {"=", "={}"})
      refused(set + std::string(nothing),
              {std::string("--set ") + set + ": an empty value",
               std::string("as in ") + set + ".source= and " + set + ".target="});
  refused("training=", {"--set training: an empty value changes nothing; name a key of it"});
}

TEST_F(ConfigMistakes, ANameThatIsNoFolderInRunsIsRefused) {
  for (const char* name : {"''", ".", "..", "../mine", "/mine", "mine/", "a/mine"}) {
    SCOPED_TRACE(name);
    const std::string file = folder.write("c.yaml", std::string("name: ") + name + "\n");
    expect_mistake(load(file), {"name: '", "cannot be a run's folder in runs/", "set output"});
    product(load(file, {"output=" + (folder / "run")}));
  }
  expect_mistake(outcome_of([] { with_settings(Config(), {"name="}); }), {"name: ''"});
}

TEST_F(ConfigMistakes, ANameThatNoPrintedCommandCouldHaveIsRefused) {
  for (const std::string key : {"name", "output"}) {
    const std::string file = folder.write("c.yaml", key + R"(: "a\nb")" + "\n");
    expect_mistake(load(file),
                   {key + ": 'a\\nb' has a line feed, a tab or another control character"});
  }
}

TEST_F(ConfigMistakes, AMissingConfigNamesTheNearestFile) {
  folder.write("bahdanau.yaml", "seed: 1\n");
  expect_mistake(run::train(folder / "bahdanu.yaml"), {"bahdanu.yaml", "bahdanau.yaml'"});
}

TEST_F(ConfigMistakes, AConfigWithoutCorporaSaysWhatItNeeds) {
  expect_mistake(train("seed: 1\n"), {"data.train"});
}

TEST_F(ConfigMistakes, AMissingCorpusNamesTheNearestFile) {
  expect_mistake(train(corpora("trian.src")), {"data.train", "trian.src'", "train.src'"});
}

TEST_F(ConfigMistakes, CorporaOfDifferentLengthNameBothFilesAndCounts) {
  const std::string yaml = corpora();
  lengthen();
  expect_mistake(train(yaml), {"train.src", "train.tgt", "40", "41"});
}

TEST_F(ConfigMistakes, EmptyCorporaAreNamed) {
  const std::string yaml = corpora();
  folder.write("train.src", "");
  folder.write("train.tgt", "");
  expect_mistake(train(yaml), {"train.src"});
}

TEST_F(ConfigMistakes, EmptyFilesAreRefusedBeforeAnythingIsTrained) {
  const std::string yaml = folder.write("c.yaml", corpora());
  const std::string source = folder.write("empty.src", ""), target = folder.write("empty.tgt", "");
  for (const char* key : {"data.train.0", "data.train.1", "data.valid", "data.test"}) {
    const std::string set = key;
    expect_mistake(
        run::train(yaml, {"--set", set + ".source=" + source, "--set", set + ".target=" + target}),
        {set.substr(0, 9), source, target, "no lines"});
    EXPECT_FALSE(fs::exists(folder / "run")) << key;
  }
}

TEST_F(ConfigMistakes, ARunThatFailedBeforeItBeganLeavesNoVocabularyToTheNext) {
  const std::string yaml = corpora();
  lengthen();
  EXPECT_EQ(train(yaml).status, 2);
  EXPECT_EQ(train(corpora("train.src", 28)).err, "");
  EXPECT_EQ(load_vocabularies(folder / "run", /*joint=*/true).source.size(), 28);
}

}  // namespace
}  // namespace heed::run
