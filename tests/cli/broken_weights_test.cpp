// Weights that are no numbers: every command refuses them, and names the file and the tensor.
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Changes the values of one fp32 tensor in a safetensors file of heed, or its header, and makes
/// the checksum right again.
class WeightsFile {
 public:
  explicit WeightsFile(std::string path) : path_(std::move(path)), bytes_(read_file(path_)) {
    std::memcpy(&length_, bytes_.data(), sizeof length_);
  }

  void change(const std::string& tensor, const std::function<void(std::vector<float>&)>& edit) {
    const auto header = nlohmann::json::parse(bytes_.substr(8, length_));
    const auto offsets = header.at(tensor).at("data_offsets").get<std::vector<std::size_t>>();
    char* begin = bytes_.data() + 8 + length_ + offsets[0];
    std::vector<float> numbers((offsets[1] - offsets[0]) / sizeof(float));
    std::memcpy(numbers.data(), begin, offsets[1] - offsets[0]);
    edit(numbers);
    std::memcpy(begin, numbers.data(), offsets[1] - offsets[0]);
    save();
  }
  /// Says that the tensor has another type of the same width.
  void retype(const std::string& tensor, const std::string& type) {
    const std::size_t entry = bytes_.find("\"" + tensor + "\":{");
    bytes_.replace(bytes_.find("\"F32\"", entry) + 1, 3, type);
    save();
  }

 private:
  void save() {
    const std::string field = "\"checksum\":\"crc32:";
    const std::size_t digits = bytes_.find(field) + field.size();
    bytes_.replace(digits, 8, "00000000");
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(bytes_.data()), static_cast<uInt>(bytes_.size()));
    char text[9];
    std::snprintf(text, sizeof text, "%08lx", sum);
    bytes_.replace(digits, 8, text);
    write_atomic(path_, bytes_);
  }

  std::string path_, bytes_;
  uint64_t length_ = 0;
};

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
