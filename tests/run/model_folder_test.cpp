// Folders of models that are damaged or none: one line that names the file and what is wrong.
#include "run/model_folder.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/weights_file.h"
#include "run/in_process.h"
#include "run/saved_config.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using namespace cli;
using ::testing::HasSubstr;

/// Two models that have barely begun to learn, kept until the program ends.
struct Models {
  TemporaryFolder folder;
  std::string rnn = folder / "rnn", transformer = folder / "transformer";

  Models() {
    write_toy_pairs(folder, "train", 60, 1);
    write_toy_pairs(folder, "valid", 5, 2);
    train_toy(write_toy_config(folder, {"rnn", kRnn, "updates: 1"}));
    train_toy(write_toy_config(folder, {"transformer", kTransformer, "updates: 1"}));
  }

  static const Models& get() {
    static const Models models;
    return models;
  }
};

/// A copy of a trained model for a test to damage.
struct ModelFolderTest : testing::Test {
  TemporaryFolder folder;
  std::string model = folder / "model";

  ModelFolderTest() {
    fs::create_directory(model);
    for (const char* name : {"config.yaml", "joint.spm", "model.safetensors"})
      fs::copy(Models::get().transformer + "/" + name, model + "/" + name);
  }
  std::string weights() const { return model + "/model.safetensors"; }
  static Result translate(const std::string& models) {
    return outcome_of([&] {
      EXPECT_EQ(open_models(models).translator().translate({.lines = {"a b"}}).translations.size(),
                1U);
    });
  }
  Result translate() const { return translate(model); }
};

TEST_F(ModelFolderTest, TheCopyItselfTranslates) {
  product(translate());
}

TEST_F(ModelFolderTest, AFolderThatIsNotThereIsNamed) {
  expect_mistake(translate(folder / "modle"), {"modle", "no such model folder"});
  expect_mistake(translate(",modle"), {"',modle': a comma without a model folder"});
  expect_mistake(translate(Models::get().rnn + ","), {"a comma without a model folder"});
}

TEST_F(ModelFolderTest, TheNameOfARunIsItsFolder) {
  fs::create_directories(folder / "runs");
  fs::copy(model, folder / "runs/mine", fs::copy_options::recursive);
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_EQ(named_models("mine"), "runs/mine");
  EXPECT_EQ(named_models("mine,other,./mine"), "runs/mine,other,./mine");
  fs::create_directories("mine");
  EXPECT_EQ(named_models("mine"), "mine");
  fs::current_path(before);
}

TEST_F(ModelFolderTest, AFileIsNoModelFolder) {
  expect_mistake(translate(weights()),
                 {"model.safetensors: is a file of a model; give the model's folder, " + model});
  write_atomic(folder / "in.txt", "a b\n");
  expect_mistake(translate(folder / "in.txt"), {"in.txt: is a file; the model comes first"});
}

TEST_F(ModelFolderTest, ANameNearAModelsOrAFolderOfModelsNamesThem) {
  expect_mistake(translate(folder / "modl"), {"did you mean '" + model + "'?"});
  expect_mistake(translate(folder.path()),
                 {": is a folder of 1 model; give one of them: " + model});
  for (int i = 0; i < 6; ++i)
    fs::copy(model, folder / ("more" + std::to_string(i)), fs::copy_options::recursive);
  expect_mistake(translate(folder.path()),
                 {": is a folder of 7 models; give one of them: " + model + ", ", "more3, ..."});
}

TEST_F(ModelFolderTest, AnEmptyFolderIsNoModelFolder) {
  fs::create_directory(folder / "empty");
  expect_mistake(translate(folder / "empty"), {"config.yaml", "heed train"});
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
  write_atomic(weights(), read_file(Models::get().rnn + "/model.safetensors"));
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

void spoil(const std::string& path, const std::string& tensor, float value = NAN) {
  WeightsFile(path).change(tensor, [&](std::vector<float>& numbers) { numbers.back() = value; });
}

TEST_F(ModelFolderTest, InfiniteWeightsAreRefused) {
  for (const float value : {INFINITY, -INFINITY}) {
    spoil(weights(), "encoder.0.attention.output.weight", value);
    expect_mistake(translate(), {"encoder.0.attention.output.weight"});
    spoil(weights(), "encoder.0.attention.output.weight", 0);
  }
  product(translate());
}

TEST_F(ModelFolderTest, WholeNumbersAreNoWeights) {
  WeightsFile(weights()).retype("output.bias", "I32");
  expect_mistake(translate(), {weights() + ": tensor 'output.bias' holds whole numbers (I32)"});
}

// All log-probabilities but one are -inf.
TEST_F(ModelFolderTest, ScoresThatAreNoNumbersAreTheWorldsFault) {
  WeightsFile(weights()).change("output.bias", [](std::vector<float>& numbers) {
    for (float& number : numbers) number = -3e38F;
    numbers.front() = 3e38F;
  });
  expect_one_line_error(outcome_of([&] { open_model(model).translator().score({"a b"}, {"b a"}); }),
                        1, {"line 1: the model's score is not a number"});
}

TEST(BrokenCheckpoint, IsPassedOverWhereThereIsAnOlderOne) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  const std::string config = write_toy_config(
      folder,
      {"run", kNone, "updates: 4, validate_every: 4, save_every: 2, log_every: 1, keep_last: 2"});
  train_toy(config);
  const std::string checkpoints = folder / "run/checkpoints/";
  const std::string newest = checkpoints + "update-00000004.heed";
  spoil(newest, "optimizer/exp_avg/output.bias");
  const std::vector<std::string> resume{"--resume", "--set", "training.updates=6"};
  const Result passed = train(config, resume);
  EXPECT_EQ(passed.status, 0) << passed.err;
  EXPECT_THAT(passed.err,
              HasSubstr(newest + ": tensor 'optimizer/exp_avg/output.bias' has values"));
  for (const auto& entry : fs::directory_iterator(checkpoints))
    if (entry.path().extension() == ".heed") spoil(entry.path(), "model/output.bias", INFINITY);
  const Result refused = train(config, resume);
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("'model/output.bias'"));
}

}  // namespace
}  // namespace heed::run
