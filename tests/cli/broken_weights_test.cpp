// Weights that are no numbers: every command refuses them, and names the file and the tensor.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "cli/weights_file.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void spoil(const std::string& path, const std::string& tensor, float value = NAN) {
  WeightsFile(path).change(tensor, [&](std::vector<float>& numbers) { numbers.back() = value; });
}

struct BrokenWeights : testing::Test {
  TemporaryFolder folder;
  std::string model = folder / "model";
  std::string weights = model + "/model.safetensors";
  std::string source = folder.write("source", "a b\n"), target = folder.write("target", "b a\n");

  BrokenWeights() { fs::copy(Toy::get().transformer, model, fs::copy_options::recursive); }
};

TEST_F(BrokenWeights, AreRefusedByEveryCommand) {
  spoil(weights, "output.bias");
  const std::vector<std::string> pair{"--source", source, "--target", target};
  const auto with = [](std::vector<std::string> command, const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
  };
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"translate", model, source},
           {"translate", Toy::get().transformer + "," + model, source},
           {"score", model, source, target},
           {"evaluate", model},
           {"attention", model, "--text", "a b"},
           with({"align", model}, pair),
           with({"heads", model}, pair),
           {"contrast", model, "--source", source, "--right", target, "--wrong", source},
           {"inspect", model},
           {"average", model, model, "-o", folder / "mean"},
           {"export", model, "-o", folder / "exported"}}) {
    SCOPED_TRACE(join(command, " "));
    expect_mistake(run_heed(command), {weights + ": tensor 'output.bias'", "NaN or infinity"});
  }
}

TEST_F(BrokenWeights, AreRefusedWhereTheyAreInfiniteToo) {
  for (const float value : {INFINITY, -INFINITY}) {
    spoil(weights, "encoder.0.attention.output.weight", value);
    expect_mistake(run_heed({"translate", model, source}), {"encoder.0.attention.output.weight"});
    spoil(weights, "encoder.0.attention.output.weight", 0);
  }
  EXPECT_EQ(lines_of(product(run_heed({"translate", model, source}))).size(), 1U);
}

TEST_F(BrokenWeights, WholeNumbersAreNoWeights) {
  WeightsFile(weights).retype("output.bias", "I32");
  expect_mistake(run_heed({"translate", model, source}),
                 {weights + ": tensor 'output.bias' holds whole numbers (I32)"});
  expect_mistake(run_heed({"average", model, "-o", folder / "mean"}),
                 {weights + ": tensor 'output.bias' holds whole numbers (I32)"});
}

// All log-probabilities but one are -inf.
TEST_F(BrokenWeights, ScoresThatAreNoNumbersAreTheWorldsFault) {
  WeightsFile(weights).change("output.bias", [](std::vector<float>& numbers) {
    for (float& number : numbers) number = -3e38F;
    numbers.front() = 3e38F;
  });
  expect_one_line_error(run_heed({"score", model, source, target}), 1,
                        {"line 1: the model's score is not a number"});
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
  const std::vector<std::string> resume{"train", config, "--resume", "--set", "training.updates=6"};
  const Result passed = run_heed(resume);
  EXPECT_EQ(passed.status, 0) << passed.err;
  EXPECT_THAT(passed.err,
              HasSubstr(newest + ": tensor 'optimizer/exp_avg/output.bias' has values"));
  for (const auto& entry : fs::directory_iterator(checkpoints))
    if (entry.path().extension() == ".heed") spoil(entry.path(), "model/output.bias", INFINITY);
  const Result refused = run_heed(resume);
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("'model/output.bias'"));
  expect_mistake(
      run_heed({"average", folder / "run/checkpoints/update-00000006.heed", "-o", folder / "mean"}),
      {"update-00000006.heed: tensor 'model/output.bias'"});
}

}  // namespace
}  // namespace heed::cli
