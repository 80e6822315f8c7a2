// heed bottleneck.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct BottleneckTest : testing::Test {
  const QuickScorer scorer;
  TemporaryFolder folder;
  std::string config;
  BottleneckTest() {
    write_toy_pairs(folder, "train", 100, 1);
    write_toy_pairs(folder, "valid", 10, 2);
    write_toy_pairs(folder, "test", 20, 3);
    config = write_toy_config(folder, {"family", kRnn, "updates: 6, validate_every: 6", true});
  }
};

TEST_F(BottleneckTest, TrainsTheFamilyAndWritesTheReport) {
  std::ofstream(config, std::ios::app) << "about: It turns sentences around.\n";
  const Result result = run_heed(
      {"bottleneck", config, "--systems", "none,bahdanau", "--set", "decoding.beam_size=1"});
  const std::string run = folder / "family";
  EXPECT_THAT(product(result), HasSubstr("bahdanau")) << result.err;
  for (const char* system : {"none", "bahdanau"}) {
    EXPECT_TRUE(fs::exists(run + "/" + system + "/model.safetensors")) << system;
    EXPECT_EQ(lines_of(read_file(run + "/" + system + "/test.hypothesis")).size(), 20U);
  }
  const auto rows = lines_of(read_file(run + "/lengths.csv"));
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_THAT(rows[0], StartsWith("system,bucket_low,bucket_high,sentences,"));
  EXPECT_THAT(rows[1], StartsWith("none,1,3,"));
  EXPECT_THAT(rows[4], StartsWith("bahdanau,4,inf,"));
  EXPECT_THAT(read_file(run + "/lengths.svg"), HasSubstr("<svg"));
  const auto json = nlohmann::json::parse(read_file(run + "/report.json"));
  ASSERT_EQ(json["systems"].size(), 2U);
  for (std::size_t system : {0, 1})
    for (std::size_t bucket : {0, 1}) {
      const auto row = split(rows[1 + 2 * system + bucket], ',');
      EXPECT_EQ(json["systems"][system]["folder"], row[0]);
      EXPECT_EQ(json["buckets"][bucket]["low"], std::stoi(row[1]));
      EXPECT_EQ(json["buckets"][bucket]["sentences"], std::stoi(row[3]));
      EXPECT_NEAR(json["systems"][system]["lengths"][bucket]["bleu"].get<double>(),
                  std::stod(row[5]), 0.01);
    }
  EXPECT_EQ(json["systems"][1]["facts"][1]["value"], 6);  // updates
  const std::string page = read_file(run + "/report.html");
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("bahdanau"));
  EXPECT_THAT(page, HasSubstr("heed bottleneck " + config +
                              " --set decoding.beam_size=1 --systems none,bahdanau"));
  for (const char* part :
       {"The same vocabulary, data, seed and budget for every model", "without attention",
        "href=\"bahdanau/attention.html\"", " to those of more than 3 words, ",
        " It turns sentences around.</p>", "Loss while they"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(lines_of(read_file(run + "/bahdanau/attention.csv")).front(),
              StartsWith("sentence,layer,head,"));
  EXPECT_THAT(read_file(run + "/bahdanau/attention.html"), HasSubstr("Attention: Bahdanau"));
  EXPECT_FALSE(fs::exists(run + "/none/attention.html"));

  const Result again = run_heed(
      {"bottleneck", config, "--systems", "none,bahdanau", "--set", "decoding.beam_size=1"});
  EXPECT_EQ(product(again), result.out);
  EXPECT_THAT(again.err, HasSubstr("none is trained already"));

  const auto hypotheses = [&] { return read_file(run + "/bahdanau/test.hypothesis"); };
  const std::string before = hypotheses();
  write_toy_pairs(folder, "test", 20, 4);
  const Result changed = run_heed(
      {"bottleneck", config, "--systems", "none,bahdanau", "--set", "decoding.beam_size=1"});
  EXPECT_NE(product(changed), result.out);
  EXPECT_THAT(changed.err, HasSubstr("bahdanau is scored again, " + (folder / "test.src")));
  EXPECT_NE(hypotheses(), before);

  // A new system would not have the text of the others.
  write_toy_pairs(folder, "train", 110, 1);
  expect_mistake(
      run_heed({"bottleneck", config, "--systems", "none,bahdanau,transformer", "--set",
                "decoding.beam_size=1"}),
      {folder / "train.src: has changed since " + run + "/none was trained", "restore it"});
  EXPECT_FALSE(fs::exists(run + "/transformer"));
}

TEST_F(BottleneckTest, ItsConfigurationIsReadSeveralTimes) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"bottleneck", "/dev/stdin"}, {"bottleneck", "-"}})
    expect_mistake(run_heed(command, read_file(config)), {"can be read only once"});
  EXPECT_FALSE(fs::exists(folder / "family"));
}

TEST_F(BottleneckTest, StopsWhereItsModelsAreOfAnotherConfigurationUntilToldToTrainAnew) {
  const std::string run = folder / "family", none = run + "/none";
  const auto bottleneck = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"bottleneck", config,  "--systems",
                                       "none",       "--set", "decoding.beam_size=1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments);
  };
  ASSERT_EQ(bottleneck({}).status, 0);
  const std::string weights = read_file(none + "/model.safetensors"),
                    vocabulary = read_file(run + "/vocabulary/joint.spm");
  expect_mistake(bottleneck({"--set", "model.hidden_size=40"}),
                 {none + "/config.yaml", "model.hidden_size: 48 (wanted: 40)", "--overwrite"});
  expect_mistake(bottleneck({"--set", "training.updates=4"}),
                 {none, "6 updates", "training.updates is 4", "--overwrite"});
  // A system that is not there yet would share a vocabulary that is another's.
  expect_mistake(
      run_heed({"bottleneck", config, "--systems", "bahdanau", "--set", "data.vocabulary.size=30"}),
      {run + "/vocabulary/config.yaml", "data.vocabulary.size: 32 (wanted: 30)"});
  product(run_heed({"vocab", folder / "valid.src", "--size", "32", "--algorithm", "bpe", "-o",
                    run + "/vocabulary/joint.spm"}));
  expect_mistake(bottleneck({}), {run + "/vocabulary: its source vocabulary (",
                                  ") is not that of " + none + " (", "restore it"});
  write_atomic(run + "/vocabulary/joint.spm", vocabulary);
  EXPECT_FALSE(fs::exists(run + "/bahdanau"));
  EXPECT_TRUE(read_file(none + "/model.safetensors") == weights);

  // What is free is done again with the same weights.
  const Result wider = bottleneck({"--set", "decoding.beam_size=2"});
  EXPECT_EQ(wider.status, 0) << wider.err;
  EXPECT_THAT(wider.err, HasSubstr("none goes on, its configuration has changed: "
                                   "decoding.beam_size: 1 -> 2"));
  EXPECT_TRUE(read_file(none + "/model.safetensors") == weights);
  EXPECT_THAT(read_file(none + "/config.yaml"), HasSubstr("beam_size: 2"));

  for (const std::string& setting :
       {"data.vocabulary.source=" + run + "/vocabulary/joint.spm", "training.from=" + none})
    expect_mistake(bottleneck({"--set", setting, "--overwrite"}),
                   {setting.substr(0, setting.find('=')) + ": " +
                    setting.substr(setting.find('=') + 1) + ": --overwrite would delete it"});
  EXPECT_TRUE(read_file(none + "/model.safetensors") == weights);

  const Result anew = bottleneck({"--set", "data.vocabulary.size=30", "--overwrite"});
  EXPECT_EQ(anew.status, 0) << anew.err;
  EXPECT_FALSE(read_file(none + "/model.safetensors") == weights);
  EXPECT_FALSE(read_file(run + "/vocabulary/joint.spm") == vocabulary);
}

TEST_F(BottleneckTest, ASystemHasNoVocabularyOfItsOwn) {
  const std::string file =
      folder.write("own.yaml", read_file(config) +
                                   "systems:\n  - {name: a, set: [model.attention=none]}\n"
                                   "  - {name: b, set: [data.vocabulary.size=30]}\n");
  expect_mistake(run_heed({"bottleneck", file}),
                 {file, "systems: 'b' sets data.vocabulary.size", "share one vocabulary"});
  const std::string other = folder.write(
      "other.yaml", read_file(config) +
                        "systems:\n  - {name: a, set: [model.attention=none, data.test.source=" +
                        (folder / "valid.src") + "]}\n");
  expect_mistake(run_heed({"bottleneck", other}),
                 {other, "systems: 'a' sets data.test.source", "scored on one test set"});
}

/// Gold alignments: the toy's target is the source backwards.
std::string write_toy_alignments(const TemporaryFolder& folder, const std::string& name) {
  std::string gold;
  for (const std::string& line : lines_of(read_file(folder / (name + ".src")))) {
    const auto words = static_cast<int>(split(line, ' ').size());
    for (int i = 0; i < words; ++i)
      gold += (i ? " " : "") + std::to_string(i) + "-" + std::to_string(words - 1 - i);
    gold += "\n";
  }
  return folder.write(name + ".align", gold);
}

TEST_F(BottleneckTest, TellsAlignmentErrorsWhereGoldIsGiven) {
  const std::string valid = write_toy_alignments(folder, "valid");
  const Result result =
      run_heed({"bottleneck", config, "--systems", "none,bahdanau", "--set", "decoding.beam_size=1",
                "--set", "evaluation.alignments=" + write_toy_alignments(folder, "test"), "--set",
                "evaluation.valid_alignments=" + valid});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = lines_of(read_file(folder / "family/systems.csv"));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0], "system,parameters,updates,tokens_per_s,bleu,aer_%,pronouns_%");
  const auto none = split(rows[1], ','), bahdanau = split(rows[2], ',');
  EXPECT_EQ(none[0], "none");
  EXPECT_EQ(none[5], "");  // it has no attention
  EXPECT_EQ(bahdanau[2], "6");
  EXPECT_GT(std::stod(bahdanau[5]), 0);
  EXPECT_LE(std::stod(bahdanau[5]), 100);
  EXPECT_EQ(bahdanau[6], "");
  EXPECT_THAT(read_file(folder / "family/report.html"), HasSubstr("diagonal"));
}

TEST_F(BottleneckTest, GoldThatDoesNotFitIsNamedBeforeAnythingIsTrained) {
  const std::string short_one = folder.write("short", "0-0\n");
  const std::string genders =
      folder.write("genders", "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n0\t1\t0\t0\tf\n");
  const auto refused = [&](std::vector<std::string> settings, std::vector<std::string> parts) {
    std::vector<std::string> words{"-q", "bottleneck", config, "--systems", "none"};
    for (const std::string& setting : settings)
      words.insert(words.end(), {"--set", "evaluation." + setting});
    expect_mistake(run_heed(words), parts);
    EXPECT_FALSE(std::filesystem::exists(folder / "family/none"));
  };
  const std::string gold = write_toy_alignments(folder, "test"),
                    far = folder.write("far", "99-0\n" + std::string(19, '\n'));
  refused({"alignments=" + short_one}, {short_one, "has 1"});
  refused({"alignments=" + far}, {far + ":1", "the link 99-0 is outside a sentence"});
  refused({"alignments=" + gold, "one_based=true"}, {gold + ":", "counting from 1"});
  refused({"alignments=" + gold, "valid_alignments=" + far}, {"10 lines", far + " has 20"});
  refused({"antecedents=" + genders, "pronouns=[m=a]"}, {genders + ":2", "the gender 'f'"});
  refused({"antecedents=" + genders, "pronouns=[a]"}, {"evaluation.pronouns: 'a'"});
}

TEST_F(BottleneckTest, GoldOfNoValidationSetIsRefused) {
  const std::string yaml = read_file(config);
  const auto from = yaml.find("valid:"), to = yaml.find('\n', from);
  ASSERT_NE(from, std::string::npos);
  const std::string file =
      folder.write("no_valid.yaml", yaml.substr(0, from) + "valid: {}" + yaml.substr(to));
  const std::string gold = write_toy_alignments(folder, "test");
  expect_mistake(
      run_heed({"-q", "bottleneck", file, "--systems", "none", "--set",
                "evaluation.alignments=" + gold, "--set", "evaluation.valid_alignments=" + gold}),
      {"evaluation.valid_alignments: the alignments of data.valid, which is not set"});
}

// Its lines have a lone word mark, which the vocabulary does not take for a word.
TEST_F(BottleneckTest, WhereNoGoldIsComparableThereIsAReportWithoutAlignmentError) {
  std::string source, target, gold;
  for (int line = 0; line < 10; ++line) {
    source += "a \u2581 b\n";
    target += "b \u2581 a\n";
    gold += "0-2 1-1 2-0\n";
  }
  for (const char* set : {"test", "valid"}) {
    folder.write(std::string(set) + ".src", source);
    folder.write(std::string(set) + ".tgt", target);
  }
  const std::string links = folder.write("links", gold);
  const Result result = run_heed({"bottleneck", config, "--systems", "bahdanau", "--set",
                                  "decoding.beam_size=1", "--set", "evaluation.alignments=" + links,
                                  "--set", "evaluation.valid_alignments=" + links});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr(links + ": 10 lines left out, line 1 first"));
  const auto rows = lines_of(read_file(folder / "family/systems.csv"));
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(split(rows[1], ',')[5], "");
  EXPECT_TRUE(fs::exists(folder / "family/report.html"));
}

TEST_F(BottleneckTest, AMistypedSystemNamesItsNeighbour) {
  expect_mistake(run_heed({"bottleneck", config, "--systems", "none,bahdanu"}),
                 {"'bahdanu'", "'bahdanau'"});
}

TEST_F(BottleneckTest, NamesAreCheckedBeforeAnythingIsTrained) {
  expect_mistake(
      run_heed({"bottleneck", config, "--systems", "none,bahdanau", "--baseline", "nobody"}),
      {"the baseline 'nobody' is none of the systems: none, bahdanau"});
  const std::string yaml = read_file(config);
  const auto refused = [&](const std::string& systems, const std::string& part) {
    folder.write("family.yaml", yaml + "systems: [" + systems + "]\n");
    expect_mistake(run_heed({"bottleneck", config}), {"systems: ", part});
  };
  const std::string set = ", set: [seed=3]}";
  refused("{name: none}, {name: none" + set, "two are called 'none'; give each its own name");
  for (const std::string& name : {std::string("vocabulary"), std::string("a/b"), std::string("..")})
    refused("{name: " + name + set, "'" + name + "' cannot be a system's folder");
  EXPECT_FALSE(fs::exists(folder / "family"));
}

// The message would say so if the attention were `none`.
TEST_F(BottleneckTest, ASystemWithSettingsIsNotTheModelThatItIsNamedAfter) {
  folder.write("family.yaml",
               read_file(config) + "systems: [{name: none, set: [model.input_feeding=true]}]\n");
  expect_mistake(run_heed({"bottleneck", config}),
                 {"model.input_feeding: needs one of the luong attentions, not 'bahdanau'"});
}

TEST_F(BottleneckTest, SaysWhatAModelWithAMisleadingNameIs) {
  const std::string file = write_toy_config(
      folder, {"positions", kTransformer, "updates: 2, validate_every: 2", /*test=*/true});
  folder.write("positions.yaml",
               read_file(file) + "systems: [{name: none, set: [model.positions=none]}]\n");
  const Result result = run_heed({"bottleneck", file, "--set", "decoding.beam_size=1"});
  product(result);
  EXPECT_THAT(result.err,
              HasSubstr("none: with its settings this is a model of the kind transformer"));
  EXPECT_THAT(read_file(folder / "positions/none/config.yaml"), HasSubstr("type: transformer"));
  EXPECT_THAT(read_file(folder / "positions/report.html"),
              HasSubstr("Transformer, 2+2 layers, width 32, 4 heads, positions none"));
}

TEST_F(BottleneckTest, WithoutATestSetThereIsNoCurve) {
  expect_mistake(run_heed({"bottleneck", Toy::get().transformer_config}), {"data.test"});
}

}  // namespace
}  // namespace heed::cli
