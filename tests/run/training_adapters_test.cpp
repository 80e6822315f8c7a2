// training.adapters: whole runs that tune a few new weights of a trained model.
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/weights_file.h"
#include "message.h"
#include "model/weights.h"
#include "run/in_process.h"
#include "train/checkpoint.h"

namespace heed::run {
namespace {

using namespace cli;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kAttention = "encoder.0.attention.projection.weight";

class AdapterRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 200, 1);
    write_toy_pairs(folder_, "valid", 15, 2);
    ASSERT_EQ(train("base", kTransformer, "20").status, 0);
  }
  Result train(const std::string& name, const char* model, const std::string& updates,
               const std::vector<std::string>& settings = {}, bool resume = false) {
    const std::string training =
        "updates: " + updates + ", validate_every: 20, save_every: 10, learning_rate: 0.005";
    std::vector<std::string> options;
    for (const std::string& setting : settings) options.insert(options.end(), {"--set", setting});
    if (resume) options.emplace_back("--resume");
    return run::train(write_toy_config(folder_, {name, model, training}), options);
  }
  std::vector<std::string> adapters(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> settings{"training.from=" + (folder_ / "base"),
                                      "training.adapters.kind=lora", "training.adapters.rank=3",
                                      "model.dropout=0.1"};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  }
  model::TensorFile weights(const std::string& file) const {
    return model::load_tensors(folder_ / file);
  }

  TemporaryFolder folder_;
};

TEST_F(AdapterRuns, WriteAModelLikeAnyOther) {
  const Result result = train("tuned", kTransformer, "20", adapters({"training.ema=0.9"}));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr(" parameters of adapters, "));
  const auto base = weights("base/model.safetensors"), tuned = weights("tuned/model.safetensors");
  ASSERT_EQ(tuned.tensors.size(), base.tensors.size());
  for (const auto& [name, tensor] : base.tensors) {
    const bool attention = name.find("attention.") != std::string::npos &&
                           name.ends_with(".weight") && tensor.dim() == 2;
    EXPECT_EQ(at::equal(tuned.tensors.at(name), tensor), !attention) << name;
  }
  // The score of the validation was that of the model that was written.
  const auto summary = json::parse(read_file(folder_ / "tuned/summary.json"));
  EXPECT_EQ(summary.at("parameters"),
            json::parse(read_file(folder_ / "base/summary.json")).at("parameters"));
  const Result again = train("same", kTransformer, "1",
                             {"training.from=" + (folder_ / "tuned"), "training.learning_rate=0"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NEAR(json::parse(read_file(folder_ / "same/summary.json")).at("validation_loss"),
              summary.at("validation_loss").get<double>(), 1e-6);
}

TEST_F(AdapterRuns, GoOnWithTheSameBits) {
  for (const bool validates : {true, false}) {
    std::vector<std::string> settings = adapters({"training.ema=0.9", "training.keep_best=1"});
    if (!validates)
      settings = adapters({"data.valid.source=", "data.valid.target=",
                           "training.adapters.matrices=[feed_forward]", "training.quantise=int8"});
    const std::string whole = validates ? "whole" : "whole2",
                      parts = validates ? "parts" : "parts2";
    const Result result = train(whole, kTransformer, "40", settings);
    ASSERT_EQ(result.status, 0) << result.err;
    ASSERT_EQ(train(parts, kTransformer, "20", settings).status, 0);
    const auto saved = weights(parts + "/checkpoints/update-00000020.heed");
    for (const auto& [name, tensor] : saved.tensors)
      EXPECT_THAT(name, HasSubstr(".lora_"));  // and nothing else
    const Result more = train(parts, kTransformer, "40", settings, /*resume=*/true);
    ASSERT_EQ(more.status, 0) << more.err;
    EXPECT_EQ(read_file(folder_ / (whole + "/model.safetensors")),
              read_file(folder_ / (parts + "/model.safetensors")));
    EXPECT_NE(read_file(folder_ / (whole + "/model.safetensors")),
              read_file(folder_ / "base/model.safetensors"));
  }
}

TEST_F(AdapterRuns, KeepToTheWeightsThatTheyAreFor) {
  ASSERT_EQ(train("tuned", kTransformer, "10", adapters()).status, 0);
  WeightsFile(folder_ / "base/model.safetensors")
      .change(kAttention, [](std::vector<float>& numbers) { numbers[0] += 1; });
  const Result other = train("tuned", kTransformer, "20", adapters(), /*resume=*/true);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(lines_of(other.err).back(),
              AllOf(HasSubstr("update-00000010.heed: its adapters are for other weights"),
                    HasSubstr("training.from")));
  const std::string checkpoint = folder_ / "tuned/checkpoints/update-00000010.heed";
  EXPECT_THAT(message_of<UserError>([&] { train::read_weights(checkpoint); }),
              HasSubstr("holds the adapters alone"));
}

TEST_F(AdapterRuns, AreRefusedBeforeAnythingIsRead) {
  expect_mistake(train("none", kTransformer, "2", {"training.adapters.kind=lora"}),
                 {"training.adapters.kind", "training.from"});
  expect_mistake(train("rnn", kRnn, "2", adapters()), {"model.type: transformer"});
}

}  // namespace
}  // namespace heed::run
