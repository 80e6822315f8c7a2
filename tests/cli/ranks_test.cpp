// One run by several processes.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTraining =
    "learning_rate: 0.005, updates: 12, micro_batches: 4, accumulate: 2, ema: 0.9, "
    "validate_every: 5, save_every: 4, log_every: 3, keep_best: 2";

class Ranks : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 300, 1);
    write_toy_pairs(folder_, "valid", 21, 2);
    write_toy_pairs(folder_, "test", 23, 3);
  }

  /// Trains the folder NAME with more arguments.
  Result train(const std::string& name, const char* model, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", write_toy_config(folder_, {name, model, kTraining, true})});
    return run_heed(more);
  }
  std::string file(const std::string& name) const { return read_file(folder_ / name); }
  /// Losses of all events, in order.
  std::vector<double> losses(const std::string& name) const {
    std::vector<double> out;
    for (const std::string& line : lines_of(file(name + "/metrics.jsonl")))
      out.push_back(nlohmann::json::parse(line).at("loss").get<double>());
    return out;
  }
  void expect_same(const std::string& one, const std::string& other) const {
    EXPECT_EQ(file(one + "/model.safetensors"), file(other + "/model.safetensors"));
    EXPECT_EQ(file(one + "/test.hypothesis"), file(other + "/test.hypothesis"));
    EXPECT_EQ(losses(one), losses(other));
  }

  TemporaryFolder folder_;
};

TEST_F(Ranks, DeleteAnOlderRunOnce) {
  const std::vector<std::string> other = {"--set", "seed=3"};
  ASSERT_EQ(train("one", kNone, {}).status, 0);
  ASSERT_EQ(train("two", kNone, other).status, 0);
  EXPECT_NE(file("two/model.safetensors"), file("one/model.safetensors"));
  const Result result = train("two", kNone, {"--ranks", "2", "--overwrite", "--restarts", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  expect_same("one", "two");
}

TEST_F(Ranks, MakeTheModelThatOneProcessMakes) {
  const std::vector<std::string> sampled = {"--set", "data.subword_sampling=0.3"};
  auto three = sampled;
  three.insert(three.end(), {"--ranks", "3"});
  EXPECT_EQ(train("one", kTransformer, sampled).status, 0);
  const Result result = train("three", kTransformer, three);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 thread, fp32, 3 ranks of these"));
  EXPECT_EQ(lines_of(result.err).size(), lines_of(file("three/train.log")).size());
  expect_same("one", "three");
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "three"))
    EXPECT_THAT(entry.path().filename().string(), Not(::testing::StartsWith(".heed")));
}

TEST_F(Ranks, GoOnWithAnotherNumber) {
  EXPECT_EQ(train("one", kRnn, {"--set", "threads=3"}).status, 0);
  EXPECT_EQ(train("some", kRnn, {"--ranks", "2", "--set", "training.updates=4"}).status, 0);
  EXPECT_EQ(train("some", kRnn, {"--resume", "--set", "training.updates=8"}).status, 0);
  EXPECT_EQ(train("some", kRnn, {"--resume", "--ranks", "4"}).status, 0);
  EXPECT_EQ(file("one/model.safetensors"), file("some/model.safetensors"));
}

// As mpirun starts them on two machines: no file but the run's folder is common, and the first rank
// says there how it is reached.
TEST_F(Ranks, MeetOverTheNetwork) {
  EXPECT_EQ(train("one", kRnn, {}).status, 0);
  const std::string config = write_toy_config(folder_, {"two", kRnn, kTraining, true});
  std::vector<Result> results(2);
  {
    std::vector<std::jthread> machines;
    for (int rank = 0; rank < 2; ++rank)
      machines.emplace_back([&, rank] {
        results[rank] = run_heed_in({"OMPI_COMM_WORLD_RANK=" + std::to_string(rank),
                                     "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_LOCAL_RANK=0",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE=1", "PMIX_NAMESPACE=job@7"},
                                    {"train", config});
      });
  }
  for (const Result& result : results) EXPECT_EQ(result.status, 0) << result.err;
  expect_same("one", "two");
}

TEST_F(Ranks, SayWhoFoundTheMistake) {
  EXPECT_EQ(train("run", kNone, {}).status, 0);
  const Result again = train("run", kNone, {"--ranks", "2"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("run: holds a run already; --resume goes on with it"));
  EXPECT_THAT(again.err, HasSubstr("heed: rank 0 of 2 ended with exit code 2 before its first "
                                   "update; its message stands above\n"));
}

TEST_F(Ranks, AreNotCountedTwice) {
  const std::string config = write_toy_config(folder_, {"run", kNone, kTraining});
  expect_mistake(run_heed_in({"RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=localhost", "MASTER_PORT=1"},
                             {"train", config, "--ranks", "3"}),
                 {"--ranks 3: torchrun has started 2 ranks already; leave the option out"});
  expect_mistake(run_heed({"train", config, "--restarts", "3"}), {"--restarts requires --ranks"});
}

TEST(Doctor, SeesRanksExchange) {
  const Result result = run_heed({"doctor", "--ranks", "3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok   ranks        3, met in "));
  EXPECT_THAT(result.out, HasSubstr("ok   equality     the sum over ranks has the bits of a sum"));
}

}  // namespace
}  // namespace heed::cli
