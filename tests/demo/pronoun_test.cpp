// An example of what attention is for: a Transformer learns which of two nouns "it" stands for.
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

using Arguments = std::vector<std::string>;

const std::string kRoot = paths::kSource;

void expect_resolved(const std::string& model, const std::string& sets) {
  for (const std::string name : {"classic", "contrast"}) {
    const std::string set = sets + "/" + name;
    const Result result =
        run_heed({"contrast", model, "--source", set + ".src", "--right", set + ".tgt", "--wrong",
                  set + ".wrong", "--wrong", set + ".neither", "--require", "95"});
    EXPECT_EQ(result.status, 0) << name << "\n" << result.out << result.err;
  }
}

/// `--set KEY=VALUE` for each.
Arguments set_all(const Arguments& settings) {
  Arguments arguments;
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  return arguments;
}

/// The demo's Transformer on the demo's short sentences alone: what the long ones teach besides
/// would take minutes more. In batches of half the size three quarters of the words teach it as
/// well. One thread leaves the other cores to other tests.
TEST(Demo, ATransformerLearnsWhatItStandsFor) {
  const TemporaryFolder folder;
  const std::string data = folder / "data", model = folder / "model";
  const Result made =
      subprocess::run({paths::kPython, kRoot + "/data_scripts/demo_corpus.py", "--output", data,
                       "--pronouns", "100", "--valid", "60", "--test", "1"});
  ASSERT_EQ(made.status, 0) << made.err;
  Arguments train = {"train", kRoot + "/configs/demo.yaml"};
  const Arguments settings = set_all(
      {"output=" + model, "threads=1", "data.train.source=" + data + "/train.src",
       "data.train.target=" + data + "/train.tgt", "data.valid.source=" + data + "/valid.src",
       "data.valid.target=" + data + "/valid.tgt",
       "data.test.source=", "data.test.target=", "training.max_minutes=0",
       "training.batch_size=768", "training.updates=600", "training.validate_every=600"});
  train.insert(train.end(), settings.begin(), settings.end());
  const Result trained = run_heed(train);
  ASSERT_EQ(trained.status, 0) << trained.err;
  expect_resolved(model, data + "/sets");
}

/// The same of the model that ./run demo trained, where it did. A slow machine makes too few
/// updates for it in the demo's minutes, and ./run demo says so.
TEST(Demo, TheTransformerOfTheDemoKnowsIt) {
  const std::string model = kRoot + "/runs/demo/transformer", summary = model + "/summary.json";
  if (!std::filesystem::exists(summary)) GTEST_SKIP() << "no trained demo model: ./run demo";
  const auto updates = nlohmann::json::parse(read_file(summary)).at("updates").get<int64_t>();
  if (updates < 1500) GTEST_SKIP() << "the demo's model has made " << updates << " updates";
  expect_resolved(model, kRoot + "/data/demo/sets");
}

}  // namespace
}  // namespace heed::cli
