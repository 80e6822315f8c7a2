// heed evaluate, lengths and bottleneck.
#include <filesystem>
#include <regex>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kLengthsHeader =
    "system,bucket_low,bucket_high,sentences,source_words,bleu,bleu_low,bleu_high,"
    "brevity_penalty,length_ratio";

TEST(Evaluate, AModelAndItsTranslationsHaveTheSameScores) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string output = folder / "out.tgt";
  const std::string of_model = product(run_heed({"evaluate", toy.rnn, "-o", output}));
  const auto lines = lines_of(of_model);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_TRUE(std::regex_search(lines[0], std::regex(R"(^BLEU \d+\.\d+ \(.*nrefs:1\|.*version:)")))
      << lines[0];
  EXPECT_THAT(lines[1], StartsWith("chrF"));
  EXPECT_EQ(read_file(output), read_file(toy.rnn + "/test.hypothesis"));
  EXPECT_EQ(product(run_heed(
                {"evaluate", "--hypothesis", output, "--reference", toy.folder / "test.tgt"})),
            of_model);
}

TEST(Evaluate, TakesTheValidationSetWhereAskedTo) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "valid.src", reference = toy.folder / "valid.tgt",
                    output = folder / "out.tgt";
  const std::string scores = product(run_heed({"evaluate", toy.rnn, "--valid", "-o", output}));
  EXPECT_THAT(lines_of(read_file(output)), SizeIs(20));  // and the test set has 25
  EXPECT_EQ(product(run_heed({"evaluate", toy.rnn, "--source", source, "--reference", reference})),
            scores);
  expect_mistake(
      run_heed({"evaluate", toy.rnn, "--valid", "--source", source, "--reference", reference}),
      {"--valid", "not both"});
}

TEST(Evaluate, TranslationsThatAreTheReferencesScoreAHundred) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", "one two three four five\n");
  EXPECT_THAT(product(run_heed({"evaluate", "--hypothesis", file, "--reference", file, "--set",
                                "evaluation.metrics=[ter, bleu]"})),
              ::testing::AllOf(StartsWith("TER 0.0"), HasSubstr("\nBLEU 100.0")));
}

// 13a sees 6 + 3 words. Line 1: "the" once and "cat" twice too often; "dog" and "." are missing.
// Line 2: "x" twice, of which once is another mistake; "a" is missing. Without a tokenizer "dog."
// and "b." are words.
TEST(Evaluate, CountsRepeatedAndDroppedWordsWhereAskedTo) {
  const TemporaryFolder folder;
  const std::string hypothesis = folder.write("h", "the cat cat saw the the cat\nx x b.\n"),
                    reference = folder.write("r", "the cat saw the dog.\na b.\n");
  const auto lines_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"evaluate", "--hypothesis", hypothesis, "--reference", reference});
    return lines_of(product(run_heed(more)));
  };
  EXPECT_THAT(lines_with({}), ElementsAre(StartsWith("BLEU"), StartsWith("chrF")));
  EXPECT_THAT(lines_with({"--words"}), ElementsAre(StartsWith("BLEU"), StartsWith("chrF"),
                                                   "repeated 44.44 % (4 of 9 words, tok:13a)",
                                                   "dropped 33.33 % (3 of 9 words, tok:13a)"));
  EXPECT_THAT(lines_with({"--words", "--set", "evaluation.tokenize=none", "--set",
                          "evaluation.metrics=[bleu]"}),
              ElementsAre(StartsWith("BLEU"), "repeated 57.14 % (4 of 7 words, tok:none)",
                          "dropped 28.57 % (2 of 7 words, tok:none)"));
}

TEST(Evaluate, AModelWithoutATestSetAsksForOne) {
  expect_mistake(run_heed({"evaluate", Toy::get().transformer}), {"data.test", "--source"});
}

TEST(Evaluate, ATestSetThatIsNotHereIsNamedByItsKey) {
  const TemporaryFolder folder;
  fs::copy(Toy::get().rnn, folder / "moved", fs::copy_options::recursive);
  const std::string config = folder / "moved/config.yaml";
  std::string yaml = read_file(config);
  const std::string source = Toy::get().folder / "test.src";
  yaml.replace(yaml.find(source), source.size(), "data/elsewhere/test.src");
  folder.write("moved/config.yaml", yaml);
  for (const std::string command : {"evaluate", "lengths"})
    expect_mistake(run_heed({command, folder / "moved"}),
                   {"data.test.source of " + config + ": no file 'data/elsewhere/test.src'; ",
                    "give --source and --reference"});
}

// Behind "25 sentences translated" they would be a second line on standard error.
TEST(Evaluate, MistakesAreNamedBeforeAnythingIsTranslated) {
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "test.src", reference = toy.folder / "test.tgt";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"evaluate", toy.rnn},
        {"lengths", toy.rnn},
        {"compare", toy.rnn, toy.transformer, "--source", source, "--reference", reference}}) {
    SCOPED_TRACE(words.front());
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--set", "evaluation.tokenize=nope"});
    expect_mistake(run_heed(all), {"evaluation.tokenize", "'nope'"});
  }
  const std::vector<std::string> pair{toy.transformer, "--source", source, "--target", reference};
  for (std::vector<std::string> words :
       {std::vector<std::string>{"evaluate", toy.rnn, "-o"},
        {"lengths", toy.rnn, "--csv"},
        {"lengths", toy.rnn, "--svg"},
        {"compare", toy.rnn, toy.transformer, "--json"},
        {"heads", pair[0], pair[1], pair[2], pair[3], pair[4], "-o"},
        {"faithful", pair[0], pair[1], pair[2], pair[3], pair[4], "--html"}}) {
    words.emplace_back("/nowhere/out");
    expect_one_line_error(run_heed(words), 1, {"/nowhere/out: cannot write"});
  }
}

TEST(Evaluate, AndItsKinReplaceNothingThatTheyRead) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string source = folder.write("src", read_file(toy.folder / "test.src"));
  const std::string reference = folder.write("ref", read_file(toy.folder / "test.tgt"));
  const std::string other = folder.write("other", read_file(source));
  const std::vector<std::string> set{"--source", source, "--reference", reference};
  const auto refused = [&](std::vector<std::string> words, const std::string& told) {
    words.insert(words.end(), set.begin(), set.end());
    expect_mistake(run_heed(words), {told});
  };
  refused({"evaluate", toy.rnn, "-o", reference}, reference + ": is read by this command");
  refused({"lengths", "--hypothesis", other, "--csv", other}, other + ": is read by this command");
  refused({"lengths", "--hypothesis", other, "--csv", folder / "x", "--svg", folder / "x"},
          folder / "x: would be written twice");
  refused({"compare", source, other, "--json", other}, other + ": is read by this command");
  refused({"compare", source, other, "-o", folder / "x", "--json", folder / "x"},
          folder / "x: would be written twice");
  const std::vector<std::string> pair{toy.transformer, "--source", source, "--target", reference};
  for (const char* command : {"heads", "faithful"}) {
    std::vector<std::string> words{command};
    words.insert(words.end(), pair.begin(), pair.end());
    words.insert(words.end(), {"-o", reference});
    expect_mistake(run_heed(words), {reference + ": is read by this command"});
  }
  expect_mistake(run_heed({"contrast", toy.rnn, "--source", source, "--right", reference, "--wrong",
                           other, "-o", other}),
                 {other + ": is read by this command"});
  // Its own test set is read, too.
  const auto with = [&](const std::string& key, const std::string& file) {
    return "data.test." + key + "=" + file;
  };
  expect_mistake(run_heed({"evaluate", toy.rnn, "--set", with("source", source), "--set",
                           with("target", reference), "-o", reference}),
                 {reference + ": is read by this command"});
}

TEST(Lengths, OfAModelAndOfReadyTranslationsSideBySide) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string csv = folder / "lengths.csv", svg = folder / "lengths.svg";
  const Result result =
      run_heed({"lengths", toy.rnn, "--hypothesis", "source=" + (toy.folder / "test.src"), "--csv",
                csv, "--svg", svg, "--baseline", "source"});
  EXPECT_THAT(product(result), HasSubstr("rnn"));
  const auto rows = lines_of(read_file(csv));
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_EQ(rows[0], kLengthsHeader);
  int sentences = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto fields = split(rows[i], ',');
    ASSERT_THAT(fields, SizeIs(10));
    EXPECT_EQ(fields[0], i < 3 ? "rnn" : "source");
    EXPECT_EQ(fields[1], i % 2 == 1 ? "1" : "4");
    EXPECT_EQ(fields[2], i % 2 == 1 ? "3" : "inf");
    if (i < 3) sentences += std::stoi(fields[3]);
    EXPECT_LE(std::stod(fields[6]), std::stod(fields[5]));
    EXPECT_GE(std::stod(fields[7]), std::stod(fields[5]));
  }
  EXPECT_EQ(sentences, 25);
  EXPECT_THAT(read_file(svg), HasSubstr("<svg"));
}

TEST(Lengths, AnUnknownBaselineIsAMistake) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", "a b c d\n");
  expect_mistake(run_heed({"lengths", "--hypothesis", "mine=" + file, "--source", file,
                           "--reference", file, "--baseline", "yours"}),
                 {"yours"});
}

struct BottleneckTest : testing::Test {
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
  EXPECT_EQ(rows[0], kLengthsHeader);
  EXPECT_THAT(rows[1], StartsWith("none,1,3,"));
  EXPECT_THAT(rows[4], StartsWith("bahdanau,4,inf,"));
  EXPECT_THAT(read_file(run + "/lengths.svg"), HasSubstr("<svg"));
  const std::string page = read_file(run + "/report.html");
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("bahdanau"));
  EXPECT_THAT(page, HasSubstr("heed bottleneck " + config +
                              " --set decoding.beam_size=1 --systems none,bahdanau"));
  for (const char* part : {"The same vocabulary, data, seed and budget for every model",
                           "without attention", "href=\"bahdanau/attention.html\"",
                           "BLEU on source sentences of more than 3 words: ", "Loss while they"})
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
  refused({"alignments=" + short_one}, {short_one, "has 1"});
  refused({"antecedents=" + genders, "pronouns=[m=a]"}, {genders + ":2", "the gender 'f'"});
  refused({"antecedents=" + genders, "pronouns=[a]"}, {"evaluation.pronouns: 'a'"});
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

// With the attention `none` the message would say so.
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
              HasSubstr("none: its settings and the file make it a model of the kind transformer"));
  EXPECT_THAT(read_file(folder / "positions/none/config.yaml"), HasSubstr("type: transformer"));
  EXPECT_THAT(read_file(folder / "positions/report.html"),
              HasSubstr("Transformer, 2+2 layers, width 32, 4 heads, positions none"));
}

TEST_F(BottleneckTest, WithoutATestSetThereIsNoCurve) {
  expect_mistake(run_heed({"bottleneck", Toy::get().transformer_config}), {"data.test"});
}

}  // namespace
}  // namespace heed::cli
