// training.from, training.take and training.freeze: a run that begins with another one's model.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/weights_file.h"
#include "quick_scorer.h"
#include "run/in_process.h"
#include "text/extension.h"
#include "text/vocabulary.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class BaseModel : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 200, 1);
    write_toy_pairs(folder_, "valid", 15, 2);
    write_toy_pairs(folder_, "test", 17, 3);
  }

  /// Trains the folder NAME with more arguments.
  Result train(const std::string& name, const char* model, const std::string& updates,
               const std::vector<std::string>& more = {}) {
    const std::string training =
        "updates: " + updates + ", validate_every: 20, save_every: 20, learning_rate: 0.005";
    return run::train(write_toy_config(folder_, {name, model, training, with_test_set_}), more);
  }
  std::vector<std::string> from(const std::string& base) const {
    return {"--set", "training.from=" + (folder_ / base)};
  }
  /// Expects the exit code and the last line of a mistake; the log may stand before it.
  static void expect_refused(const Result& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.status, 2) << result.err;
    const std::string last = lines_of(result.err).back();
    EXPECT_THAT(last, ::testing::StartsWith("heed: "));
    for (const std::string& part : parts) EXPECT_THAT(last, HasSubstr(part));
  }
  std::string file(const std::string& name) const { return read_file(folder_ / name); }
  json summary(const std::string& run) const { return json::parse(file(run + "/summary.json")); }

  const QuickScorer scorer_;
  bool with_test_set_ = true;
  TemporaryFolder folder_;
};

TEST_F(BaseModel, GivesWeightsAndVocabulary) {
  ASSERT_EQ(train("base", kRnn, "40").status, 0);
  auto more = from("base");
  more.insert(more.end(), {"--set", "training.learning_rate=0", "--set",
                           "data.vocabulary.size=24"});  // what the base has counts
  const Result result = train("same", kRnn, "1", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(file("same/joint.spm"), file("base/joint.spm"));
  const std::string told =
      "warning: data.vocabulary.size: 24: not used; the run has the vocabulary of " +
      (folder_ / "base") + " (training.from), 32 pieces. ";
  EXPECT_THAT(result.err, HasSubstr(told));
  EXPECT_THAT(file("same/train.log"), HasSubstr(told));
  more.back() = "data.vocabulary.size=32";
  EXPECT_THAT(train("again", kRnn, "1", more).err, Not(HasSubstr("not used")));
  EXPECT_EQ(file("same/test.hypothesis"), file("base/test.hypothesis"));
  EXPECT_EQ(summary("same").at("validation_loss"), summary("base").at("validation_loss"));
  EXPECT_EQ(summary("same").at("base").at("before"), summary("base").at("test"));
  EXPECT_EQ(summary("same").at("base").at("after"), summary("same").at("test"));
  EXPECT_THAT(result.err, HasSubstr("test set of " + (folder_ / "base") + ": BLEU "));
  EXPECT_FALSE(summary("base").contains("base"));
}

TEST_F(BaseModel, GivesNewPiecesTheMeanOfThoseThatSpellThem) {
  with_test_set_ = false;
  ASSERT_EQ(train("base", kTransformer, "2").status, 0);
  const std::string larger = folder_ / "larger.spm";
  text::extended(text::Vocabulary::load(folder_ / "base/joint.spm"),
                 {.files = {folder_.write("new", "gaga xyz gaga xyz\nxyz gaga ab\n")}, .size = 40})
      .save(larger);
  auto more = from("base");
  more.insert(more.end(),
              {"--set", "training.learning_rate=0", "--set", "data.vocabulary.source=" + larger});
  const Result result = train("more", kTransformer, "1", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr(" and 8 new pieces"));

  const auto vocabulary = text::Vocabulary::load(larger);
  std::map<std::string, std::size_t> ids;
  for (int32_t id = 0; id < vocabulary.size(); ++id) ids[vocabulary.piece(id)] = id;
  std::vector<std::string> known;  // none of these spells x, y or z
  for (int32_t id = text::kEnd + 1; id < 32; ++id) known.push_back(vocabulary.piece(id));
  const std::map<std::string, std::vector<std::string>> spellings{
      {"\u2581gaga", {"\u2581g", "a", "g", "a"}},
      {"ga", {"\u2581g", "a"}},
      {"\u2581x", {"\u2581"}},
      {"x", known},
      {"yz", known}};
  for (const char* tensor : {"embedding.weight", "output.bias"}) {
    const auto before = WeightsFile(folder_ / "base/model.safetensors").rows(tensor);
    const auto after = WeightsFile(folder_ / "more/model.safetensors").rows(tensor);
    ASSERT_EQ(before.size(), 32U) << tensor;
    ASSERT_EQ(after.size(), 40U) << tensor;
    for (std::size_t id = 0; id < before.size(); ++id) EXPECT_EQ(after[id], before[id]) << tensor;
    for (const auto& [piece, spelling] : spellings)
      for (std::size_t i = 0; i < before[0].size(); ++i) {
        double sum = 0;
        for (const std::string& each : spelling) sum += before[ids.at(each)][i];
        EXPECT_NEAR(after[ids.at(piece)][i], sum / static_cast<double>(spelling.size()), 1e-6)
            << tensor << " of " << piece;
      }
  }
}

TEST_F(BaseModel, IsNotReadAgainByARunThatGoesOn) {
  with_test_set_ = false;
  ASSERT_EQ(train("base", kNone, "20").status, 0);
  auto more = from("base");
  ASSERT_EQ(train("whole", kNone, "40", more).status, 0);
  ASSERT_EQ(train("parts", kNone, "20", more).status, 0);
  more.push_back("--resume");
  ASSERT_EQ(train("parts", kNone, "40", more).status, 0);
  EXPECT_EQ(file("whole/model.safetensors"), file("parts/model.safetensors"));
  EXPECT_NE(file("whole/model.safetensors"), file("base/model.safetensors"));
}

TEST_F(BaseModel, ThatDoesNotFitIsRefusedByName) {
  with_test_set_ = false;
  ASSERT_EQ(train("base", kNone, "2").status, 0);
  // Before anything is read.
  expect_mistake(train("wider", kRnn, "2", from("base")),
                 {"training.from: " + (folder_ / "base") +
                  " has model.embedding_size: 16 (wanted: 32), model.hidden_size: 24 (wanted: 48), "
                  "model.attention: none (wanted: bahdanau); "});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "wider"));
  expect_mistake(train("other_type", kTransformer, "2", from("base")),
                 {"has model.type: rnn (wanted: transformer); "});
  expect_refused(train("none", kNone, "2", from("missing")),
                 {"training.from", folder_ / "missing", "config.yaml"});
  auto separate = from("base");
  separate.insert(separate.end(), {"--set", "data.vocabulary.kind=separate"});
  expect_refused(train("separate", kNone, "2", separate),
                 {"training.from", "data.vocabulary.kind: joint"});
  text::train_vocabulary({.files = {folder_ / "train.src"}, .size = 40, .algorithm = "bpe"})
      .save(folder_ / "other.spm");
  auto other = from("base");
  other.insert(other.end(), {"--set", "data.vocabulary.source=" + (folder_ / "other.spm")});
  expect_refused(train("other", kNone, "2", other),
                 {"data.vocabulary.source", "other.spm", "does not extend"});
  auto tagged = from("base");
  tagged.insert(tagged.end(), {"--set", "data.vocabulary.symbols=[<de>]"});
  expect_refused(train("tagged", kNone, "2", tagged),
                 {"training.from", folder_ / "base", "'<de>'", "heed vocab"});
  auto bytes = from("base");
  bytes.insert(bytes.end(), {"--set", "data.vocabulary.byte_fallback=true"});
  expect_refused(train("bytes", kNone, "2", bytes),
                 {"training.from", folder_ / "base", "data.vocabulary.byte_fallback: true"});
}

TEST_F(BaseModel, WhoseTestSetIsGoneCostsNothingElse) {
  ASSERT_EQ(train("base", kNone, "2").status, 0);
  std::string yaml = file("base/config.yaml");
  const std::string test = folder_ / "test.src";
  folder_.write("base/config.yaml", yaml.replace(yaml.find(test), test.size(), "gone.src"));
  const Result result = train("new", kNone, "2", from("base"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: test set of " + (folder_ / "base")));
  EXPECT_THAT(result.err, HasSubstr("no file 'gone.src'; what was forgotten is not measured"));
  EXPECT_FALSE(summary("new").at("test").empty());
  EXPECT_FALSE(summary("new").contains("base"));
}

TEST_F(BaseModel, ThatIsGoneCostsARunThatGoesOnNothingElse) {
  ASSERT_EQ(train("base", kNone, "2").status, 0);
  auto more = from("base");
  ASSERT_EQ(train("new", kNone, "2", more).status, 0);
  fs::remove_all(folder_ / "base");
  more.push_back("--resume");
  const Result result = train("new", kNone, "4", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: test set of " + (folder_ / "base")));
  EXPECT_THAT(result.err, HasSubstr("; what was forgotten is not measured"));
  EXPECT_EQ(summary("new").at("updates"), 4);
  EXPECT_FALSE(summary("new").at("test").empty());
  EXPECT_FALSE(summary("new").contains("base"));
}

TEST_F(BaseModel, ThatCannotBeLookedForCostsNothingElse) {
  ASSERT_EQ(train("base", kNone, "2").status, 0);
  auto more = from("base");
  ASSERT_EQ(train("new", kNone, "2", more).status, 0);
  fs::remove_all(folder_ / "base");
  fs::create_symlink("base", folder_ / "base");  // a circle: even its state is an error
  more.push_back("--resume");
  const Result result = train("new", kNone, "4", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("what was forgotten is not measured"));
  EXPECT_FALSE(summary("new").at("test").empty());
}

TEST_F(BaseModel, WhoseScoreFailsCostsNothingElse) {
  ASSERT_EQ(train("base", kNone, "2",
                  {"--set", "evaluation.metrics=[bleu]", "--set", "evaluation.tokenize=char"})
                .status,
            0);
  const std::string scorer = folder_.write(
      "scorer",
      "#!/bin/sh\n"
      "case \"$*\" in *'-tok char'*) echo broken >&2; exit 3;; esac\n"
      R"(echo '{"name": "BLEU", "score": 12.5, "signature": "nrefs:1", "verbose_score": ""}')"
      "\n");
  fs::permissions(scorer, fs::perms::owner_all);
  std::vector<std::string> options = from("base");
  options.insert(options.end(), {"--set", "evaluation.metrics=[bleu]"});
  ::setenv("HEED_SACREBLEU", scorer.c_str(), /*replace=*/1);
  const Result result =
      run::train(write_toy_config(folder_, {"new", kNone, "updates: 2", true}), options);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("status 3: broken; what was forgotten is not measured"));
  EXPECT_EQ(summary("new").at("test").size(), 1U);
  EXPECT_FALSE(summary("new").contains("base"));
}

// Its weights are numbers, and what it computes with them is not.
TEST_F(BaseModel, ThatCannotTranslateCostsNothingElse) {
  ASSERT_EQ(train("base", kNone, "2").status, 0);
  auto more = from("base");
  ASSERT_EQ(train("new", kNone, "2", more).status, 0);
  WeightsFile weights(folder_ / "base/model.safetensors");
  const std::size_t width = weights.rows("output.weight").at(0).size();
  weights.change("output.weight", [&](std::vector<float>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i / width % 2 ? 3e38F : -3e38F;
  });
  weights.change("output.bias", [](std::vector<float>& numbers) {
    for (float& number : numbers) number = std::numeric_limits<float>::max();
  });
  more.push_back("--resume");
  const Result result = train("new", kNone, "4", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: test set of " + (folder_ / "base")));
  EXPECT_THAT(result.err,
              HasSubstr("are not numbers: its weights are damaged or diverged; what was "
                        "forgotten is not measured"));
  EXPECT_EQ(summary("new").at("updates"), 4);
  EXPECT_FALSE(summary("new").at("test").empty());
  EXPECT_FALSE(summary("new").contains("base"));
}

TEST_F(BaseModel, IsNotDeletedForItsSuccessor) {
  with_test_set_ = false;
  ASSERT_EQ(train("base", kNone, "2").status, 0);
  const std::string weights = file("base/model.safetensors");
  const auto overwrite = [&](const std::string& setting) {
    return train("base", kNone, "2", {"--overwrite", "--set", setting});
  };
  const std::string base = folder_ / "base", pieces = base + "/joint.spm";
  const std::string told = ": --overwrite would delete it before it is read; name another output";
  fs::create_directory_symlink(base, folder_ / "link");
  for (const std::string& path : {base, folder_ / "link"})
    expect_mistake(overwrite("training.from=" + path), {"heed: training.from: " + path + told});
  expect_mistake(overwrite("data.vocabulary.source=" + pieces),
                 {"heed: data.vocabulary.source: " + pieces + told});
  EXPECT_TRUE(file("base/model.safetensors") == weights);
  EXPECT_TRUE(fs::exists(pieces));
}

TEST_F(BaseModel, MayDifferInDropoutAndInWhatAPositionSees) {
  with_test_set_ = false;
  ASSERT_EQ(train("base", kTransformer, "2").status, 0);
  const auto checked = [&](const std::string& model) {
    return outcome_of([&] {
      check_file(folder_ / "base.yaml",
                 {"output=new", "training.from=" + (folder_ / "base"), "model." + model});
    });
  };
  // heads: 4 is what kv_heads: 0 means; keys of the other type do not matter.
  for (const char* same : {"dropout=0.5", "attention_dropout=0.2", "sliding_window=3", "kv_heads=4",
                           "hidden_size=64", "max_positions=77"})
    EXPECT_EQ(checked(same).status, 0) << same << checked(same).err;
  for (const auto& [other, told] : std::vector<std::pair<std::string, std::string>>{
           {"heads=2", "model.heads: 4 (wanted: 2)"},
           {"norm=post", "model.norm: pre (wanted: post)"},
           {"positions=learned", "model.positions: sinusoidal (wanted: learned)"},
           {"decoder_layers=3", "model.decoder_layers: 2 (wanted: 3)"}})
    expect_mistake(checked(other), {"training.from: ", told});
}

TEST_F(BaseModel, GivesTheModulesThatAreTaken) {
  ASSERT_EQ(train("base", kTransformer, "2").status, 0);
  auto more = from("base");
  more.insert(more.end(), {"--set", "training.learning_rate=0", "--set", "model.decoder=ssru",
                           "--set", "model.decoder_layers=1", "--set",
                           "training.take=[embedding, encoder.0, source_positions]"});
  const Result result = train("part", kTransformer, "1", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("begins with embedding, encoder.0, source_positions of " +
                                    (folder_ / "base")));
  // It is another model: nothing was forgotten.
  EXPECT_FALSE(summary("part").contains("base"));
  more.erase(more.begin(), more.begin() + 2);  // training.from
  more.pop_back(), more.pop_back();
  ASSERT_EQ(train("fresh", kTransformer, "1", more).status, 0);
  WeightsFile base(folder_ / "base/model.safetensors"), part(folder_ / "part/model.safetensors"),
      fresh(folder_ / "fresh/model.safetensors");
  for (const char* taken : {"embedding.weight", "encoder.0.feed_forward.inner.weight"}) {
    EXPECT_EQ(part.rows(taken), base.rows(taken)) << taken;
    EXPECT_NE(part.rows(taken), fresh.rows(taken)) << taken;
  }
  // The fresh model's own, also where the base has such weights.
  for (const char* left :
       {"encoder.1.feed_forward.inner.weight", "decoder.0.feed_forward.inner.weight",
        "decoder.0.recurrence.candidate.weight"})
    EXPECT_EQ(part.rows(left), fresh.rows(left)) << left;
}

TEST_F(BaseModel, RefusesModulesThatCannotBeTaken) {
  with_test_set_ = false;
  ASSERT_EQ(train("base", kTransformer, "2").status, 0);
  auto more = from("base");
  more.insert(more.end(), {"--set", "training.take=[encodr]"});
  expect_refused(train("unknown", kTransformer, "2", more),
                 {"training.take", "'encodr'", "decoder", "embedding", "encoder"});
  more.back() = "training.take=[encoder]";
  more.insert(more.end(), {"--set", "model.feed_forward=48"});
  expect_refused(train("wider", kTransformer, "2", more),
                 {"training.from: " + (folder_ / "base"), "'encoder.0.feed_forward.inner.", "48"});
  // It has two layers.
  more.back() = "model.encoder_layers=3";
  expect_refused(train("deeper", kTransformer, "2", more), {"has no tensor 'encoder.2."});
  more.back() = "model.encoder_layers=1";
  expect_refused(train("flatter", kTransformer, "2", more), {"surplus tensor 'encoder.1."});
  more.back() = "training.adapters.kind=lora";
  expect_mistake(train("adapted", kTransformer, "2", more), {"training.take", "adapters"});
  expect_mistake(train("nothing", kTransformer, "2", {"--set", "training.take=[encoder]"}),
                 {"training.take", "name its folder in training.from"});
}

TEST_F(BaseModel, KeepsWhatIsFrozen) {
  ASSERT_EQ(train("base", kTransformer, "2").status, 0);
  auto more = from("base");
  more.insert(more.end(), {"--set", "training.freeze=[encoder, decoder.0]"});
  const Result result = train("frozen", kTransformer, "20", more);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(file("frozen/test.hypothesis"), file("base/test.hypothesis"));
  more.back() = "training.freeze=[encodr]";
  expect_refused(train("unknown", kTransformer, "2", more),
                 {"training.freeze", "'encodr'", "decoder", "embedding", "encoder"});
}

}  // namespace
}  // namespace heed::run
