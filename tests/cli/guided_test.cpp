// Guided alignment by several ranks and from a stream, and the head that it has taught.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Json = nlohmann::json;

class GuidedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 400, 1);
    write_toy_pairs(folder_, "valid", 20, 2);
    folder_.write("train.align", reversal_links(folder_ / "train.src"));
  }

  /// The command that trains the run NAME; `more` are settings.
  std::vector<std::string> training(const std::string& name,
                                    const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "train", write_toy_config(folder_, {name, kGuidedTransformer, kGuidedTraining}), "--set",
        "data.train.alignment=" + (folder_ / "train.align")};
    for (const std::string& setting : more) arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  }
  Result train(const std::string& name, const std::vector<std::string>& more) const {
    return run_heed(training(name, more));
  }
  Result align(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"align", folder_ / name, "--source", folder_ / "valid.src",
                               "--target", folder_ / "valid.tgt"});
    return run_heed(more);
  }
  std::vector<double> losses(const std::string& name) const {
    std::vector<double> out;
    for (const std::string& line : lines_of(read_file(folder_ / (name + "/metrics.jsonl"))))
      if (const Json json = Json::parse(line); json.contains("align")) out.push_back(json["align"]);
    return out;
  }

  TemporaryFolder folder_;
};

TEST_F(GuidedRun, TheTaughtHeadIsTheOneThatAligns) {
  EXPECT_EQ(
      train("run", {"training.updates=2", "training.taught_layer=1", "training.taught_head=3"})
          .status,
      0);
  EXPECT_THAT(align("run").err, HasSubstr("layer 1, head 3, --aligned-step emits"));
  const Result chosen = align("run", {"--layer", "0", "--head", "mean"});
  EXPECT_THAT(chosen.err, HasSubstr("layer 0, mean of heads"));
  const std::vector<std::string> named = {"--set", "decoding.alignment.layer=0", "--set",
                                          "decoding.alignment.head=2"};
  EXPECT_THAT(align("run", named).err, HasSubstr("layer 0, head 2, --aligned-step emits"));
  EXPECT_EQ(product(align("run", named)), product(align("run", {"--layer", "0", "--head", "2"})));
  // Also where a head before it is gone. Its layer's weights do not depend on that one.
  product(run_heed({"prune", folder_ / "run", "--heads", "cross.1.0", "-o", folder_ / "pruned"}));
  EXPECT_EQ(product(align("pruned")), product(align("run")));
  expect_mistake(run_heed({"prune", folder_ / "run", "--heads", "cross.1.3", "-o", folder_ / "x"}),
                 {"cross.1.3", "guided_alignment"});
}

TEST_F(GuidedRun, GoesWithTagsSamplingTruncationAndSeveralRanks) {
  folder_.write("other.tsv", "a b\tb a\nc d e\te d c\n");
  folder_.write("other.align", "0-1 1-0\n\n");
  const std::vector<std::string> settings = {
      "data.train=[{source: " + (folder_ / "train.src") + ", target: " + (folder_ / "train.tgt") +
          ", alignment: " + (folder_ / "train.align") + "}, {source: " + (folder_ / "other.tsv") +
          ", alignment: " + (folder_ / "other.align") + ", tag: <bt>, weight: 20}]",
      "data.subword_sampling=0.2",
      "data.max_length=6",
      "data.long_sentences=truncate",
      "data.vocabulary.size=33",
      "training.micro_batches=3",
      "training.updates=12",
      "data.clean=[duplicates]"};
  const auto command = [&](const std::string& name) {
    std::vector<std::string> arguments = training(name, settings);
    // The first corpus alone is named by a key without a number.
    arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
    return arguments;
  };
  const Result one = run_heed(command("one"));
  EXPECT_EQ(one.status, 0) << one.err;
  auto ranks = command("three");
  ranks.insert(ranks.end(), {"--ranks", "3"});
  const Result three = run_heed(ranks);
  EXPECT_EQ(three.status, 0) << three.err;
  EXPECT_TRUE(read_file(folder_ / "one/model.safetensors") ==
              read_file(folder_ / "three/model.safetensors"));
  EXPECT_EQ(losses("one"), losses("three"));
  ASSERT_THAT(losses("one"), SizeIs(2));
  EXPECT_GT(losses("one")[0], 0);
}

TEST(Prune, KeepsTheHeadThatLinksWords) {
  const TemporaryFolder folder;
  const std::string model = folder / "model", unset = "\n    head: -1\n";
  std::filesystem::copy(Toy::get().transformer, model, std::filesystem::copy_options::recursive);
  std::string config = read_file(model + "/config.yaml");
  const std::size_t at = config.find(unset);
  ASSERT_NE(at, std::string::npos);
  folder.write("model/config.yaml", config.replace(at, unset.size(), "\n    head: 0\n"));
  expect_mistake(run_heed({"prune", model, "--heads", "cross.0.0", "-o", folder / "x"}),
                 {"cross.0.0", "decoding.alignment.head"});
}

// Its configuration names the head, and no command would take a model without it.
TEST(Prune, KeepsTheHeadOfTheCoverageLoss) {
  const TemporaryFolder folder;
  const std::string model = folder / "model", zero = "\n  coverage_loss: 0.0\n";
  std::filesystem::copy(Toy::get().transformer, model, std::filesystem::copy_options::recursive);
  std::string config = read_file(model + "/config.yaml");
  const std::size_t at = config.find(zero);
  ASSERT_NE(at, std::string::npos);
  folder.write("model/config.yaml", config.replace(at, zero.size(), "\n  coverage_loss: 0.5\n"));
  expect_mistake(run_heed({"prune", model, "--heads", "cross.0.0", "-o", folder / "x"}),
                 {"cross.0.0", "training.coverage_loss"});
  product(run_heed({"prune", model, "--heads", "cross.0.1", "-o", folder / "smaller"}));
  product(run_heed({"translate", folder / "smaller"}, "a b\n"));
}

}  // namespace
}  // namespace heed::cli
