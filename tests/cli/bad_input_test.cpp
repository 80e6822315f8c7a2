// The user's mistakes: exit code 2 and one line that names the thing and the cure.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// --- configurations

struct ConfigTest : testing::Test {
  TemporaryFolder folder;

  Result train(const std::string& yaml) const {
    return run_heed({"-q", "train", folder.write("c.yaml", yaml)});
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

TEST_F(ConfigTest, AnUnknownKeyNamesFileLineAndNeighbour) {
  expect_mistake(train("seed: 1\ntraining:\n  updats: 3\n"),
                 {"c.yaml:3", "training.updats", "unknown key", "'updates'"});
}

TEST_F(ConfigTest, AnotherTrainersKeyIsTranslated) {
  expect_mistake(train("training: {accum_count: 3}\n"), {"c.yaml:1", "accum_count", "accumulate"});
}

TEST_F(ConfigTest, AWrongTypeNamesTheKeyAndWhatItTakes) {
  expect_mistake(train("training: {updates: many}\n"),
                 {"c.yaml:1", "training.updates", "whole number", "'many'"});
}

TEST_F(ConfigTest, AValueOutOfRangeNamesTheRange) {
  expect_mistake(train("model: {dropout: 1.5}\n"), {"c.yaml:1", "model.dropout", "0.9"});
}

TEST_F(ConfigTest, ACoverageThatSentencePieceRefusesIsRefusedAtOnce) {
  expect_mistake(train("data:\n  vocabulary: {coverage: 0.97}\n"),
                 {"c.yaml:2", "data.vocabulary.coverage", "0.98"});
  const std::string text = folder.write("text", "a b\n");
  expect_mistake(run_heed({"vocab", text, "--coverage", "0.97", "-o", folder / "a.spm"}),
                 {"--coverage", "0.98"});
}

TEST_F(ConfigTest, AMistypedChoiceNamesItsNeighbour) {
  expect_mistake(train("model: {type: rnn, attention: bahdanu}\n"),
                 {"model.attention", "'bahdanau'"});
}

TEST_F(ConfigTest, ABrokenRuleBetweenKeysNamesThem) {
  expect_mistake(train("model: {width: 30, heads: 4}\n"), {"heads", "width"});
}

TEST_F(ConfigTest, ADecodingThatTheModelCannotDoIsRefusedBeforeTraining) {
  const std::string blind = "model: {type: rnn, attention: none}\ndecoding: ";
  expect_mistake(train(blind + "{coverage_penalty: 0.2}\n"),
                 {"decoding.coverage_penalty", "model.attention is none"});
  expect_mistake(train("model: {attention_normaliser: sparsemax}\ndecoding: {weights: int8}\n"),
                 {"decoding.weights", "model.attention_normaliser"});
}

TEST_F(ConfigTest, YamlThatIsNoneNamesTheLine) {
  expect_mistake(train("seed: 1\nmodel: {width: 3\n"), {"c.yaml:"});
}

TEST_F(ConfigTest, AMistakeInSetNamesTheKey) {
  const std::string file = folder.write("c.yaml", "seed: 1\n");
  expect_mistake(run_heed({"train", file, "--set", "model.haeds=2"}),
                 {"--set", "model.haeds", "'heads'"});
  expect_mistake(run_heed({"train", file, "--set", "model.heads"}), {"--set", "model.heads", "="});
  expect_mistake(run_heed({"train", file, "--set", "model.heads=few"}),
                 {"--set", "model.heads", "'few'"});
}

TEST_F(ConfigTest, ConfigurationsMadeToFillMemoryAreRefusedInOneLine) {
  std::string laughs = "name: &a " + std::string(500000, 'x') + "\nsystems: [{name: x, set: [";
  for (int i = 0; i < 9999; ++i) laughs += "*a, ";
  expect_mistake(train(laughs + "]}]\n"), {"c.yaml:1", "systems.0.set", "aliases"});
  expect_mistake(train("model: " + std::string(99999, '[')), {"c.yaml:1"});
  expect_mistake(train("model: " + std::string(99999, '{')), {"c.yaml:1"});
  const std::string file = folder.write("c.yaml", "seed: 1\n");
  fs::resize_file(file, 100 << 20);
  expect_mistake(run_heed({"train", file}), {"c.yaml: has 100.0 MiB", "at most 1.0 MiB"});
}

TEST_F(ConfigTest, OddBytesInSetAreQuotedInOneLine) {
  const std::string file = folder.write("c.yaml", "seed: 1\n");
  for (const char* setting :
       {"a\nb", "\x01\x1B[2J=3", "\xFF\xFE=\xC3", "model.heads=\xFF\n", "model=[\x01", "=\n", "\n",
        "model.heads=&a [*a]", "data.train.99999999999999999999.source=x", "systems.0.set=*a"})
    expect_mistake(run_heed({"train", file, "--set", setting}), {"--set"});
  expect_mistake(run_heed({"train", file, "--set", std::string(99999, 'x')}),
                 {"--set xxx", "x..."});
}

TEST_F(ConfigTest, WhatSetCannotMeanIsRefused) {
  const auto refused = [&](const std::string& setting, const std::vector<std::string>& parts) {
    SCOPED_TRACE(setting);
    expect_mistake(run_heed({"config", "--set", setting}), parts);
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

TEST_F(ConfigTest, ANameThatIsNoFolderInRunsIsRefused) {
  for (const char* name : {"''", ".", "..", "../mine", "/mine", "mine/", "a/mine"}) {
    SCOPED_TRACE(name);
    const std::string file = folder.write("c.yaml", std::string("name: ") + name + "\n");
    expect_mistake(run_heed({"config", file}),
                   {"name: '", "cannot be a run's folder in runs/", "set output"});
    product(run_heed({"config", file, "--set", "output=" + (folder / "run")}));
  }
  expect_mistake(run_heed({"config", "--set", "name="}), {"name: ''"});
}

TEST_F(ConfigTest, ANameThatNoPrintedCommandCouldHaveIsRefused) {
  for (const std::string key : {"name", "output"}) {
    const std::string file = folder.write("c.yaml", key + R"(: "a\nb")" + "\n");
    expect_mistake(run_heed({"config", file}),
                   {key + ": 'a\\nb' has a line feed, a tab or another control character"});
  }
}

TEST_F(ConfigTest, AMissingConfigNamesTheNearestFile) {
  folder.write("bahdanau.yaml", "seed: 1\n");
  expect_mistake(run_heed({"train", folder / "bahdanu.yaml"}), {"bahdanu.yaml", "bahdanau.yaml'"});
}

TEST_F(ConfigTest, AConfigWithoutCorporaSaysWhatItNeeds) {
  expect_mistake(train("seed: 1\n"), {"data.train"});
}

// --- corpora

TEST_F(ConfigTest, AMissingCorpusNamesTheNearestFile) {
  expect_mistake(train(corpora("trian.src")), {"data.train", "trian.src'", "train.src'"});
}

TEST_F(ConfigTest, CorporaOfDifferentLengthNameBothFilesAndCounts) {
  const std::string yaml = corpora();
  lengthen();
  expect_mistake(train(yaml), {"train.src", "train.tgt", "40", "41"});
}

TEST_F(ConfigTest, EmptyCorporaAreNamed) {
  const std::string yaml = corpora();
  folder.write("train.src", "");
  folder.write("train.tgt", "");
  expect_mistake(train(yaml), {"train.src"});
}

TEST_F(ConfigTest, EmptyFilesAreRefusedBeforeAnythingIsTrained) {
  const std::string yaml = folder.write("c.yaml", corpora());
  const std::string source = folder.write("empty.src", ""), target = folder.write("empty.tgt", "");
  for (const char* key : {"data.train.0", "data.train.1", "data.valid", "data.test"}) {
    const std::string set = key;
    expect_mistake(run_heed({"train", yaml, "--set", set + ".source=" + source, "--set",
                             set + ".target=" + target}),
                   {set.substr(0, 9), source, target, "no lines"});
    EXPECT_FALSE(fs::exists(folder / "run")) << key;
  }
}

TEST_F(ConfigTest, ARunThatFailedBeforeItBeganLeavesNoVocabularyToTheNext) {
  const std::string yaml = corpora();
  lengthen();
  EXPECT_EQ(train(yaml).status, 2);
  EXPECT_EQ(train(corpora("train.src", 28)).err, "");
  EXPECT_THAT(product(run_heed({"inspect", folder / "run"})), HasSubstr(" 28 pieces"));
}

TEST_F(ConfigTest, FilesToScoreOfDifferentLengthNameBothAndTheirCounts) {
  const std::string a = folder.write("a.txt", "x\ny\nz\n"), b = folder.write("b.txt", "x\n");
  expect_mistake(run_heed({"evaluate", "--hypothesis", a, "--reference", b}),
                 {"a.txt has 3 lines", "b.txt has 1"});
}

TEST_F(ConfigTest, EvaluateNeedsEitherAModelOrAFile) {
  expect_mistake(run_heed({"evaluate"}), {"--hypothesis"});
  const std::string a = folder.write("x.txt", "x\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--valid"}, {"--source", a}, {"-o", folder / "out"}}) {
    std::vector<std::string> command{"evaluate", "--hypothesis", a, "--reference", a};
    command.insert(command.end(), more.begin(), more.end());
    expect_mistake(run_heed(command), {"--hypothesis is scored as it is"});
  }
  expect_mistake(run_heed({"evaluate", "model", "--valid", "--source", a, "--reference", a}),
                 {"--valid", "not both"});
  expect_mistake(run_heed({"evaluate", "--hypothesis", folder.write("a", "x\n")}), {"--reference"});
  expect_mistake(run_heed({"lengths"}), {"--hypothesis"});
  expect_mistake(run_heed({"lengths", "--hypothesis", "/dev/null"}),
                 {"--hypothesis without a model folder needs --source and --reference"});
}

// --- what is translated and scored

TEST(Encoding, TextThatIsNotUtf8IsNotScoredAndTranslatedWithAWarning) {
  const TemporaryFolder folder;
  std::string lines, pairs;
  for (int i = 0; i < 12; ++i) {
    lines += "\xE4 b\n";
    pairs += "\xE4 b\tb a\n";
  }
  const std::string file = folder.write("latin1", lines), tsv = folder.write("latin1.tsv", pairs);
  const std::string model = Toy::get().rnn;
  const auto cure = [](const std::string& path) {
    return std::vector<std::string>{path + ":1: not UTF-8",
                                    "iconv -f WINDOWS-1252 -t UTF-8 " + path};
  };
  expect_mistake(run_heed({"evaluate", "--hypothesis", file, "--reference", file}), cure(file));
  expect_mistake(run_heed({"score", model, file, file}), cure(file));
  expect_mistake(run_heed({"evaluate", model, "--set", "data.test.source=" + tsv, "--set",
                           "data.test.target=\"\""}),
                 cure(tsv));
  const Result translated = run_heed({"translate", model, file});
  EXPECT_EQ(lines_of(product(translated)).size(), 12U);
  EXPECT_THAT(translated.err, HasSubstr(cure(file)[1]));
  EXPECT_EQ(translated.err.find("iconv"), translated.err.rfind("iconv")) << translated.err;
}

TEST(TranslateOptions, ThatContradictOthersOrDoNothingAreRefused) {
  using Words = std::vector<std::string>;
  for (const auto& [options, parts] : std::vector<std::pair<Words, Words>>{
           {{"--layer", "0"}, {"--layer", "add --alignment"}},
           {{"--head", "mean", "--scores"}, {"--head", "add --alignment"}},
           {{"--step", "reads"}, {"--step", "add --alignment"}},
           {{"--min-weight", "0.3", "--replace-unknown"}, {"--min-weight", "add --alignment"}},
           {{"--sample", "--set", "decoding.sampling.top_p=0"}, {"--sample", "above 0"}},
           {{"--sample", "--beam", "3"}, {"--beam: translations are drawn, not searched for"}},
           {{"--resume", "--output", ""}, {"--output: is empty; give it a value"}},
           {{"--resume", "--output", "-"}, {"--resume", "name a file with --output"}}}) {
    SCOPED_TRACE(options.front() + " " + options.back());
    Words command = {"translate", Toy::get().rnn};
    command.insert(command.end(), options.begin(), options.end());
    expect_mistake(run_heed(command, "a b\n"), parts);
  }
  for (const char* option : {"--alignment", "--replace-unknown", "--json"})
    EXPECT_EQ(run_heed({"translate", Toy::get().rnn, "--head", "0", option}, "a b\n").status, 0);
  EXPECT_EQ(product(run_heed({"translate", Toy::get().rnn, "-o", "-"}, "a b\n")), "b a\n");
}

// --- model folders

/// A copy of a trained model for a test to damage.
struct ModelFolderTest : testing::Test {
  TemporaryFolder folder;
  std::string model = folder / "model";

  ModelFolderTest() {
    fs::create_directory(model);
    for (const char* name : {"config.yaml", "joint.spm", "model.safetensors"})
      fs::copy(Toy::get().rnn + "/" + name, model + "/" + name);
  }
  std::string weights() const { return model + "/model.safetensors"; }
  Result translate() const { return run_heed({"translate", model}, "a b\n"); }
};

TEST_F(ModelFolderTest, TheCopyItselfTranslates) {
  EXPECT_EQ(lines_of(product(translate())).size(), 1U);
}

TEST_F(ModelFolderTest, AFolderThatIsNotThereIsNamed) {
  expect_mistake(run_heed({"translate", folder / "modle"}), {"modle", "no such model folder"});
  expect_mistake(run_heed({"translate", ",modle"}), {"',modle': a comma without a model folder"});
  expect_mistake(run_heed({"translate", Toy::get().rnn + ","}), {"a comma without a model folder"});
}

TEST_F(ModelFolderTest, AFileIsNoModelFolder) {
  expect_mistake(run_heed({"translate", weights()}), {"model.safetensors", "heed train"});
}

TEST_F(ModelFolderTest, AnEmptyFolderIsNoModelFolder) {
  fs::create_directory(folder / "empty");
  expect_mistake(run_heed({"translate", folder / "empty"}), {"config.yaml", "heed train"});
}

TEST_F(ModelFolderTest, AFolderWithoutWeightsSaysWhy) {
  fs::remove(weights());
  expect_mistake(translate(), {"model.safetensors", "validation"});
}

TEST_F(ModelFolderTest, TruncatedWeightsAreNamed) {
  for (const std::uintmax_t size : {fs::file_size(weights()) - 1, fs::file_size(weights()) / 2,
                                    std::uintmax_t{20}, std::uintmax_t{7}, std::uintmax_t{0}}) {
    SCOPED_TRACE(size);
    fs::resize_file(weights(), size);
    expect_mistake(translate(), {weights()});
  }
}

TEST_F(ModelFolderTest, AFlippedBitIsFoundWhereverItIs) {
  const std::string good = read_file(weights());
  for (const std::size_t at : {std::size_t{3}, std::size_t{40}, good.size() / 2, good.size() - 1}) {
    SCOPED_TRACE(at);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write_atomic(weights(), bad);
    expect_mistake(translate(), {weights()});
  }
}

TEST_F(ModelFolderTest, AForeignFileIsNamed) {
  write_atomic(weights(), "PK\x03\x04 this is an archive of somebody else's making");
  expect_mistake(translate(), {weights(), "safetensors"});
}

TEST_F(ModelFolderTest, WeightsOfAnotherArchitectureAreNamed) {
  write_atomic(weights(), read_file(Toy::get().transformer + "/model.safetensors"));
  expect_mistake(translate(), {weights()});
}

TEST_F(ModelFolderTest, ADamagedVocabularyIsNamed) {
  write_atomic(model + "/joint.spm", "no vocabulary");
  expect_mistake(translate(), {"joint.spm", "SentencePiece"});
  fs::remove(model + "/joint.spm");
  expect_mistake(translate(), {"joint.spm"});
}

TEST_F(ModelFolderTest, ADamagedConfigIsNamed) {
  write_atomic(model + "/config.yaml", "model: {typ: rnn}\n");
  expect_mistake(translate(), {"config.yaml:1", "model.typ", "'type'"});
}

TEST_F(ModelFolderTest, AHundredMegabytesWithoutALineFeedAreNoText) {
  const std::string path = folder.write("huge.txt", "");
  fs::resize_file(path, 100 << 20);  // NULs that take no room
  for (const auto& command : {std::vector<std::string>{"score", model, path, path},
                              {"vocab", path, "-o", folder / "v.spm"}})
    expect_mistake(run_heed(command), {"huge.txt:1", "a line of more than 4 MiB"});
}

TEST_F(ModelFolderTest, AMissingInputNamesTheNearestFile) {
  folder.write("input.txt", "a\n");
  expect_mistake(run_heed({"translate", model, folder / "inptu.txt"}), {"inptu.txt"});
}

}  // namespace
}  // namespace heed::cli
