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
           {"evaluate", model, "--source", source, "--reference", target},
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

TEST_F(BrokenWeights, WholeNumbersAreNotAveraged) {
  WeightsFile(weights).retype("output.bias", "I32");
  expect_mistake(run_heed({"average", model, "-o", folder / "mean"}),
                 {weights + ": tensor 'output.bias' holds whole numbers (I32)"});
}

TEST_F(BrokenWeights, OfACheckpointAreNotAveraged) {
  const std::string checkpoint = model + "/checkpoints/update-00000300.heed";
  spoil(checkpoint, "model/output.bias");
  expect_mistake(run_heed({"average", checkpoint, "-o", folder / "mean"}),
                 {"update-00000300.heed: tensor 'model/output.bias'"});
}

}  // namespace
}  // namespace heed::cli
