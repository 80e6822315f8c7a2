// All that stands in the way of a training, before it begins: heed config --check and heed train.
#include "run/check.h"

#include <filesystem>
#include <fstream>
#include <regex>

#include "config/io.h"
#include "run/in_process.h"
#include "text/foreign_vocabulary.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct CheckTest : ToyRunTest {
  CheckTest() : ToyRunTest(200, 7) {}

  std::string config(const std::string& model = kTransformer,
                     const std::string& training = "updates: 3") const {
    return write_toy_config(folder, {"run", model, training});
  }
  static Result check(const std::string& file, const std::vector<std::string>& settings = {}) {
    return outcome_of([&] { check_file(file, settings); });
  }
};

TEST_F(CheckTest, OfASoundRunSaysWhatItTakesAndTouchesNothing) {
  const Result result = check(config());
  EXPECT_EQ(product(result), "");
  const auto lines = lines_of(result.err);
  ASSERT_EQ(lines.size(), 2U) << result.err;
  EXPECT_THAT(lines[0], AllOf(HasSubstr("memory: about "), HasSubstr("weights "),
                              HasSubstr(" parameters), optimizer "), HasSubstr("gradients "),
                              HasSubstr("(one part of 400 target tokens)")));
  EXPECT_THAT(lines[1], HasSubstr("run.yaml: valid"));
  EXPECT_FALSE(fs::exists(folder / "run"));
  // It has counted the parameters of the model that is made then.
  const Result trained = train(config());
  static const std::regex parameters(R"([0-9.]+k? parameters)");
  std::smatch counted, made;
  ASSERT_TRUE(std::regex_search(lines[0], counted, parameters)) << lines[0];
  const std::size_t model = trained.err.find("model transformer");
  ASSERT_NE(model, std::string::npos) << trained.err;
  const std::string said = trained.err.substr(model);
  ASSERT_TRUE(std::regex_search(said, made, parameters)) << said;
  EXPECT_EQ(counted.str(), made.str());
}

TEST_F(CheckTest, KeysOfTheOtherNetworkAreNotUsed) {
  const Result transformer = check(config(), {"model.layers=3", "model.input_feeding=true"});
  EXPECT_EQ(transformer.status, 0);
  EXPECT_THAT(transformer.err,
              HasSubstr("warning: a Transformer does not use model.layers: 3 (it has "
                        "encoder_layers and decoder_layers), model.input_feeding: true\n"));
  // The default, which every saved configuration has.
  EXPECT_THAT(check(config(), {"model.layers=1"}).err, Not(HasSubstr("does not use")));
  EXPECT_THAT(check(config(kRnn), {"model.encoder_layers=2"}).err,
              HasSubstr("an rnn does not use model.encoder_layers: 2 (it has layers)"));
}

TEST_F(CheckTest, SaysWhichRunsAreCutForTheVocabularyAsTrainDoes) {
  std::ofstream(folder / "train.src", std::ios::app) << std::string(40'000, 'a') << '\n';
  std::ofstream(folder / "train.tgt", std::ios::app) << "a b\n";
  const std::string warning = (folder / "train.src") +
                              ":201: a run of more than 16,384 characters without a blank, as in "
                              "1 line; such runs are cut for the training of the vocabulary\n";
  const Result checked = check(config());
  EXPECT_EQ(checked.status, 0);
  EXPECT_THAT(checked.err, HasSubstr(warning));
  const Result trained = train(config());
  EXPECT_EQ(trained.status, 0) << trained.err;
  const std::size_t said = trained.err.find(warning);
  EXPECT_NE(said, std::string::npos) << trained.err;
  EXPECT_EQ(trained.err.find(warning, said + 1), std::string::npos) << trained.err;
}

TEST_F(CheckTest, SaysAllFaultsAtOnceAsTrainDoes) {
  const std::string file = config();
  folder.write("valid.tgt", "a\n");
  const std::vector<std::string> settings{
      "data.train.source=" + (folder / "trian.src"), "device=cuda:4000",
      "data.test.source=" + (folder / "no.src"), "data.test.target=" + (folder / "no.tgt")};
  const Result result = check(file, settings);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  const auto lines = lines_of(result.err);
  ASSERT_EQ(lines.size(), 6U) << result.err;
  EXPECT_EQ(lines[0], "heed: " + file + ": 5 faults");
  EXPECT_THAT(lines[1], AllOf(HasSubstr("valid.src has 7 lines"), HasSubstr("valid.tgt has 1")));
  EXPECT_THAT(lines[2],
              AllOf(HasSubstr("data.train.source"), HasSubstr("'" + (folder / "train.src"))));
  EXPECT_THAT(lines[3], HasSubstr("data.test.source: no file"));
  EXPECT_THAT(lines[4], HasSubstr("data.test.target: no file"));
  EXPECT_THAT(lines[5], HasSubstr("device: cuda:4000: "));
  std::vector<std::string> options;
  for (const std::string& setting : settings) options.insert(options.end(), {"--set", setting});
  EXPECT_EQ(train(file, options).err, result.err);
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST_F(CheckTest, AVocabularyThatCannotBeMadeIsKnownWithTheSizeThatCan) {
  expect_mistake(check(config(), {"data.vocabulary.size=5000"}),
                 {"too little text for 5000 pieces", "set data.vocabulary.size to at most "});
  expect_mistake(
      check(config(), {"data.vocabulary.size=100", "data.vocabulary.byte_fallback=true"}),
      {"100 pieces are too few for all its characters", "at least "});
  expect_mistake(check(config(), {"data.vocabulary.source=" + (folder / "no.spm")}),
                 {"data.vocabulary.source: no file"});
}

TEST_F(CheckTest, AVocabularyThatItTrainedIsThatOfTheRun) {
  const std::string file = config();
  const Check found = check_run(load_config(file, {}), {.file = file});
  ASSERT_NE(found.trained.source, "");
  const Result trained = train(file, {"--set", "training.updates=1"});
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(read_file(folder / "run/joint.spm"), found.trained.source);
  const std::string said = "training a vocabulary";
  EXPECT_EQ(trained.err.find(said), trained.err.rfind(said)) << trained.err;
}

TEST_F(CheckTest, NoSizeIsProposedThatWouldBeRefused) {
  const std::string pairs = "a\nb\na\n";
  for (const char* file : {"train.src", "train.tgt", "valid.src", "valid.tgt"})
    folder.write(file, pairs);
  expect_mistake(check(config()),
                 {"too little text for 32 pieces; it gives ", "and 16 are the fewest: add text"});
}

TEST_F(CheckTest, ALengthThatLeavesNoPairIsKnownBeforeTheVocabularyIs) {
  folder.write("train.src", "a b c d e\n\na b c d\n");
  folder.write("train.tgt", "a\nb\na b\n");
  for (const char* setting : {"data.max_length=3", "data.max_words=3"}) {
    const std::string key = std::string(setting).substr(0, std::string(setting).find('='));
    const std::string fault =
        key + ": 3 leaves no training pair: each has 4 words or more on a side; set it higher";
    EXPECT_THAT(check(config(), {setting, "data.vocabulary.size=16"}).err, HasSubstr(fault));
    const Result trained = train(config(), {"--set", setting});
    EXPECT_THAT(trained.err, AllOf(HasSubstr(fault), Not(HasSubstr("training a vocabulary"))));
  }
  EXPECT_THAT(check(config(), {"data.max_length=4"}).err, Not(HasSubstr("leaves no")));
  EXPECT_THAT(check(config(), {"data.max_length=3", "data.long_sentences=truncate"}).err,
              Not(HasSubstr("leaves no")));
}

TEST_F(CheckTest, LongValidationPairsAreKnown) {
  const std::string model = std::string(kTransformer).insert(1, "positions: learned, ");
  const std::string file = config(model);
  folder.write("valid.src", "a b\na b c d\n\na\n");
  folder.write("valid.tgt", "b a\nd\nb\nb a d c e\n");
  const auto longer = [](int pieces, const std::string& key) {
    return "data.valid: left out of the loss, longer than the " + std::to_string(pieces) +
           " pieces of " + key + ": ";
  };
  const Result some = check(file, {"model.max_positions=4"});
  EXPECT_EQ(some.status, 0) << some.err;
  EXPECT_THAT(some.err, HasSubstr(longer(3, "model.max_positions") + "2 (lines 2, 4)"));
  const Result few = check(file, {"decoding.max_source_length=4", "data.max_length=4"});
  EXPECT_EQ(few.status, 0) << few.err;
  EXPECT_THAT(few.err, HasSubstr(longer(4, "data.max_length") + "1 (line 4)"));
  EXPECT_THAT(check(file, {"decoding.max_source_length=4"}).err, Not(HasSubstr("left out")));
  const Result none = check(file, {"model.max_positions=2"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("valid.src is longer than the 1 piece of "
                                        "model.max_positions; give shorter ones"),
                              HasSubstr("model.max_positions: 1 leaves no training pair")));
}

TEST_F(CheckTest, CorporaWithoutTextAreKnownBeforeAnOlderRunIsDeleted) {
  const std::string file = config();
  train_toy(file);
  folder.write("valid.src", "a\n \n");
  folder.write("valid.tgt", "\nb\n");
  expect_mistake(train(file, {"--overwrite"}),
                 {"data.valid: ", "valid.src has no pair with text on both sides"});
  write_toy_pairs(folder, "valid", 7, 2);
  folder.write("train.src", "\n\n");
  folder.write("train.tgt", "a\nb\n");
  const std::string vocabulary = "data.vocabulary.source=" + (folder / "run/joint.spm");
  EXPECT_THAT(check(file, {vocabulary}).err, HasSubstr("data.train: no pair has text on both"));
  write_toy_pairs(folder, "train", 200, 1);
  expect_mistake(check(file, {"data.train.weight=0.002"}),
                 {"data.train.weight: ", " of the 200 pairs in ", "raise it"});
  EXPECT_EQ(check(file, {"data.train.weight=0.003"}).status, 0);
  EXPECT_TRUE(fs::exists(folder / "run/model.safetensors"));
}

TEST_F(CheckTest, CorporaInAnotherEncodingAreKnownBeforeAnythingIsTrained) {
  std::string latin1, text;
  for (int i = 0; i < 12; ++i) {
    latin1 += "f\xFCr\n";
    text += "a b\n";
  }
  const std::string source = folder.write("talks.src", latin1);
  const std::string set = "data.more_valid=[{name: talks, source: " + source +
                          ", target: " + folder.write("talks.tgt", text) + "}]";
  expect_mistake(check(config(), {set}), {source + ":1: not UTF-8", "iconv -f WINDOWS-1252"});
}

TEST_F(CheckTest, AConfigurationInTheFolderOfItsNewRunIsNotReplaced) {
  const std::string text = "# mine\n" + read_file(config());
  const std::string file = folder.write("run/config.yaml", text);
  const std::string fault = "writes its own config.yaml over it";
  expect_mistake(train(file), {file, fault});
  for (const char* option : {"--overwrite", "--resume"})
    expect_mistake(train(file, {option}), {file, fault});
  EXPECT_EQ(read_file(file), text);
  // The configuration that a run has saved is its own when it goes on.
  fs::remove(file);
  train_toy(config());
  EXPECT_EQ(train(file, {"--resume", "--set", "training.updates=4"}).status, 0);
  expect_mistake(train(file, {"--overwrite"}), {file, "move it"});
}

TEST_F(CheckTest, WhatValidationsDecideNeedsThem) {
  const auto check_without = [&](const std::string& setting) {
    return check(config(), {"data.valid.source=", "data.valid.target=", setting});
  };
  EXPECT_EQ(check_without("training.schedule=luong").status, 0);
  expect_mistake(check_without("training.schedule=plateau"),
                 {"training.schedule: plateau", "name data.valid"});
  expect_mistake(check_without("training.early_stopping.metric=chrf"),
                 {"training.early_stopping.metric: chrf", "name data.valid"});
  expect_mistake(check_without("training.validation_command=echo 1"),
                 {"training.validation_command: ", "name data.valid"});
  expect_mistake(check_without("training.validation_outputs=true"),
                 {"training.validation_outputs: true", "name data.valid"});
  expect_mistake(check_without("training.keep_best=5"),
                 {"training.keep_best: 5", "name data.valid"});
  expect_mistake(check_without("training.early_stopping.patience=3"),
                 {"training.early_stopping.patience: 3 counts validations", "name data.valid"});
  EXPECT_EQ(check_without("training.keep_best=1").status, 0);
}

TEST_F(CheckTest, AnExistingVocabularyHasWhatTheConfigurationNeedsOfIt) {
  const std::string lines = read_file(folder / "train.src") + read_file(folder / "train.tgt");
  const auto check_with = [&](const std::string& type, const std::string& setting) {
    text::foreign_vocabulary(folder, lines, {{"model_type", type}, {"vocab_size", "32"}});
    return check(config(), {"data.vocabulary.source=" + (folder / "foreign.model"), setting});
  };
  const std::string bytes = "data.vocabulary.byte_fallback=true",
                    sampling = "data.subword_sampling=0.1";
  expect_mistake(check_with("bpe", bytes),
                 {"foreign.model: the vocabulary has no pieces of bytes",
                  "data.vocabulary.byte_fallback: true; set it to false"});
  for (const char* type : {"bpe", "unigram"}) EXPECT_EQ(check_with(type, sampling).status, 0);
  for (const char* type : {"char", "word"}) {
    expect_mistake(check_with(type, sampling),
                   {"foreign.model: the vocabulary is neither unigram nor bpe",
                    "data.subword_sampling", "set it to 0"});
    EXPECT_EQ(check_with(type, "data.subword_sampling=0").status, 0);
  }
}

TEST_F(CheckTest, ShortlistAndGlossaryOfTheTestSetAreReadBeforeTheTraining) {
  EXPECT_EQ(check(config(), {"decoding.shortlist=no.bin", "decoding.glossary=no.tsv"}).status, 0);
  write_toy_pairs(folder, "test", 5, 3);
  const std::string file = write_toy_config(folder, {"run", kTransformer, "updates: 3", true});
  expect_mistake(check(file, {"decoding.shortlist=no.bin"}),
                 {"decoding.shortlist: no file 'no.bin'"});
  expect_mistake(check(file, {"decoding.glossary=no.tsv"}),
                 {"decoding.glossary: no file 'no.tsv'"});
  const std::string terms = folder.write("terms.tsv", "a\tb\nc\n");
  expect_mistake(check(file, {"decoding.glossary=" + terms}), {terms + ": line 2"});
}

TEST_F(CheckTest, RdropNeedsDropout) {
  const std::string rdrop = "training.consistency=rdrop";
  EXPECT_EQ(check(config(), {rdrop}).status, 0);
  expect_mistake(check(config(), {rdrop, "model.dropout=0"}),
                 {"training.consistency: rdrop", "set model.dropout"});
  EXPECT_EQ(check(config(), {rdrop, "model.dropout=0", "model.activation_dropout=0.1"}).status, 0);
  expect_mistake(check(config(kNone), {rdrop, "model.dropout=0", "model.activation_dropout=0.1",
                                       "model.attention_dropout=0.1"}),
                 {"set model.dropout"});
  EXPECT_EQ(check(config(), {"training.consistency=simcut", "model.dropout=0"}).status, 0);
}

TEST_F(CheckTest, AModelThatNoMachineHoldsIsRefusedBeforeItIsMade) {
  const std::string model =
      "{type: transformer, width: 16384, feed_forward: 131072, heads: 8, encoder_layers: 64, "
      "decoder_layers: 64}";
  expect_mistake(check(config(model)), {"heed: memory: weights, gradients and optimizer need ",
                                        " TiB, and ", " are free; set a smaller model.width"});
}

/// The memory of a Transformer with shared word vectors [10, 4] and one layer on each side.
MemoryNeed memory_with(const std::string& more, bool cpu = true) {
  Config config;
  config::load_text(config,
                    "precision: fp32\n"
                    "model: {type: transformer, width: 4, feed_forward: 8, heads: 2, "
                    "encoder_layers: 1, decoder_layers: 1, tie: all}\n" +
                        more,
                    "text");
  return memory_of(config, {.source = 10, .target = 10, .cpu = cpu});
}

TEST(MemoryNeed, CountsTheWeightsThatValidationsTranslateWith) {
  const std::string valid = "data: {valid: {source: a, target: b}}\n";
  const MemoryNeed need = memory_with(valid);
  // Vectors 40 and the bias of the output layer 10; attention 80, feed-forward 76 and norms of 8:
  // 172 and 260; the last norms 16.
  EXPECT_EQ(need.parameters, 40 + 10 + 172 + 260 + 16);
  EXPECT_EQ(need.engine, 4 * 498);
  EXPECT_THAT(need.text(), HasSubstr(", validations 1.9 KiB for weights to translate with"));
  EXPECT_EQ(memory_with(valid + "decoding: {weights: int8}").engine, 498);
  EXPECT_EQ(memory_with("data: {more_valid: [{name: c, source: a, target: b}]}").engine, 4 * 498);
  EXPECT_EQ(memory_with("").engine, 0);
  EXPECT_EQ(memory_with(valid, /*cpu=*/false).engine, 0);
  const MemoryNeed scores =
      memory_with(valid + "training: {validate_bleu: false, validation_samples: 0}");
  EXPECT_EQ(scores.engine, 0);
  EXPECT_THAT(scores.text(), Not(HasSubstr("validations")));
  // They follow each other.
  MemoryNeed both{.weights = 7, .batch = 3, .engine = 5};
  EXPECT_EQ(both.total(), 12);
  both.batch = 6;
  EXPECT_EQ(both.total(), 13);
}

TEST(MemoryNeed, CountsTheMomentsOfTheOptimizer) {
  const auto moments = [](const std::string& optimizer) {
    const MemoryNeed need = memory_with("training: {optimizer: " + optimizer + "}");
    return need.optimizer / (4 * need.parameters);
  };
  EXPECT_EQ(moments("adam"), 2);
  EXPECT_EQ(moments("adamw"), 2);
  EXPECT_EQ(moments("adadelta"), 2);
  EXPECT_EQ(moments("sgd"), 0);
}

TEST_F(CheckTest, AGpuThatIsNotThereNamesWhatAddsIt) {
  const Result result = check(config(), {"device=cuda"});
  expect_mistake(result, {"device: cuda: ", "set device to cpu or auto"});
  // Where the libraries load, the fault is that there is no GPU.
  if (result.err.find("does not load") != std::string::npos) {
    EXPECT_THAT(result.err, HasSubstr("`./run gpu`"));
  }
}

TEST_F(CheckTest, WhatIsMissingNamesTheScriptOfTheFilesHeader) {
  folder.write(
      "configs/x.yaml",
      "# Data: python3 data_scripts/one.py --pairs 10; python3 data_scripts/two_parts.py.\n"
      "data:\n  train: {source: data/one/a.src, target: data/one/a.tgt}\n"
      "  valid: {source: data/two/b.src, target: data/two/b.tgt}\n"
      "  test: {source: data/three/c.src, target: data/three/c.tgt}\n");
  folder.write("data_scripts/two_parts.py", "");
  const Result result = check(folder / "configs/x.yaml");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("data.train: no files 'data/one/a.src', 'data/one/a.tgt'; "
                                    "`python3 data_scripts/one.py --pairs 10` gets them"));
  // Where there is no such script in the working folder it is the one beside the configuration.
  EXPECT_THAT(result.err, HasSubstr("data.valid: no files 'data/two/b.src', 'data/two/b.tgt'; "
                                    "`python3 " +
                                    (folder / "data_scripts/two_parts.py") + "` gets them"));
  EXPECT_THAT(result.err, HasSubstr("data.test.source: no file 'data/three/c.src'"));
}

/// The working folder, as long as it lives.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::string& folder) { fs::current_path(folder); }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder& operator=(WorkingFolder&&) = delete;

 private:
  const fs::path before_ = fs::current_path();
};

/// Looked at from a folder without data. What is made of fetched files is told apart by its name.
TEST(ShippedConfigurations, SayWhereTheirCorporaAreFrom) {
  const TemporaryFolder folder;
  const WorkingFolder there(folder.path());
  const Quiet quiet;
  int files = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(std::string(paths::kSource) + "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string file = entry.path().string();
    const Result result = outcome_of([&] { check_file(file, {}); });
    EXPECT_EQ(result.status, 2) << file;
    EXPECT_THAT(result.err, HasSubstr("`python3 " + std::string(paths::kSource) + "/data_scripts/"))
        << file;
    EXPECT_THAT(result.err, Not(HasSubstr(": no file '"))) << file;
    ++files;
  }
  EXPECT_GE(files, 5);
}

TEST_F(CheckTest, WhatOnlyAShellReplacesMakesNoFolder) {
  ::setenv("HEED_TEST_FOLDER", "/scratch/ada", /*overwrite=*/1);
  const char* const before = std::getenv("HOME");
  const std::string file = config(), home = before == nullptr ? "" : before;
  ::setenv("HOME", "/home/ada", /*overwrite=*/1);
  for (const auto& [setting, told] : std::vector<std::pair<std::string, std::string>>{
           {"output=~/runs/x", "output: ~/runs/x: only a shell replaces ~; write /home/ada/runs/x"},
           {"output=$HEED_TEST_FOLDER/x",
            "output: $HEED_TEST_FOLDER/x: only a shell replaces $HEED_TEST_FOLDER; write "
            "/scratch/ada/x"},
           {"data.train.source=~/x.de",
            "data.train.source: no file '~/x.de'; only a shell replaces ~; write /home/ada/x.de"},
           {"training.from=~/runs/y",
            "training.from: ~/runs/y: has no config.yaml; give the folder of a finished `heed "
            "train`; only a shell replaces ~; write /home/ada/runs/y"}}) {
    expect_mistake(check(file, {setting}), {told});
    expect_mistake(train(file, {"--set", setting}), {told});
  }
  ::setenv("HOME", home.c_str(), /*overwrite=*/1);
  EXPECT_FALSE(fs::exists("~"));
}

TEST_F(CheckTest, ARunThatGoesOnIsCheckedWithItsOwnVocabulary) {
  const std::string file = config();
  train_toy(file);
  fs::remove(folder / "train.src");
  const Result result = train(file, {"--resume", "--set", "training.updates=5"});
  expect_mistake(result, {"data.train.source: no file"});
}

}  // namespace
}  // namespace heed::run
