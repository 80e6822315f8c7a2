// One run by several processes.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRankTraining =
    "learning_rate: 0.005, updates: 12, micro_batches: 4, accumulate: 2, ema: 0.9, "
    "validate_every: 5, save_every: 4, log_every: 3, keep_best: 2";

/// The process of a rank that `launcher` has started; 0 where there is none.
int process_of_rank(int launcher, int rank) {
  const std::string variable = "HEED_RANK=" + std::to_string(rank);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto process = exact_number<int>(entry.path().filename().string());
    if (!process) continue;
    std::string status;
    std::ifstream stat(entry.path() / "stat"), environment(entry.path() / "environ");
    std::getline(stat, status);
    const std::size_t name_ends = status.rfind(')');
    if (name_ends == std::string::npos) continue;  // it has ended meanwhile
    std::istringstream fields(status.substr(name_ends + 1));
    std::string state;
    int parent = 0;
    fields >> state >> parent;
    if (parent != launcher) continue;
    for (std::string each; std::getline(environment, each, '\0');)
      if (each == variable) return *process;
  }
  return 0;
}

/// The variables by which mpirun tells a rank of a machine of its own who it is.
std::vector<std::string> as_started_by_mpirun(int rank, int count) {
  return {"OMPI_COMM_WORLD_RANK=" + std::to_string(rank),
          "OMPI_COMM_WORLD_SIZE=" + std::to_string(count), "OMPI_COMM_WORLD_LOCAL_RANK=0",
          "OMPI_COMM_WORLD_LOCAL_SIZE=1", "PMIX_NAMESPACE=job@7"};
}

class Ranks : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 300, 1);
    write_toy_pairs(folder_, "valid", 21, 2);
    write_toy_pairs(folder_, "test", 23, 3);
  }

  /// Two ranks train without an end until `stop`, given the process that has started them, makes
  /// them save and end. Returns what they have said.
  std::string train_until(const std::vector<std::string>& more,
                          const std::function<void(int)>& stop) const {
    const std::string console = folder_ / "console.log", metrics = folder_ / "run/metrics.jsonl";
    const std::string config = write_toy_config(
        folder_, {"run", kNone,
                  "learning_rate: 0.005, updates: 1000000, micro_batches: 4, log_every: 1, "
                  "validate_every: 1000000, save_every: 1000000"});
    std::vector<std::string> arguments{"train", config, "--ranks", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    subprocess::Child heed = subprocess::start(command(arguments), console);
    std::error_code not_yet;
    while (!(fs::file_size(metrics, not_yet) > 0 && !not_yet)) {
      if (heed.finished())
        throw std::runtime_error("it has ended before the signal\n" + read_file(console));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    stop(static_cast<int>(heed.process()));
    EXPECT_EQ(heed.wait(), 1);
    std::string told = read_file(console);
    EXPECT_EQ(lines_of(told).back(), "heed: interrupted, all 2 ranks have ended");
    EXPECT_THAT(told, HasSubstr("everything is saved"));
    return told;
  }
  /// Trains the folder NAME with more arguments.
  Result train(const std::string& name, const char* model, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"train", write_toy_config(folder_, {name, model, kRankTraining, with_test_set_})});
    return run_heed(more);
  }
  enum class SecondRank { starts_with_the_others, starts_late, starts_when_the_first_has_ended };
  /// Starts ranks as mpirun does on several machines: no file but the run's folder is common, and
  /// the first rank says there how it is reached.
  static std::vector<Result> run_on_machines(
      int count, const std::vector<std::string>& arguments,
      const std::vector<std::string>& variables = {},
      SecondRank second = SecondRank::starts_with_the_others) {
    std::vector<Result> results(count);
    std::promise<void> first_has_ended;
    std::vector<std::jthread> machines;
    for (int rank = 0; rank < count; ++rank)
      machines.emplace_back([&, rank] {
        std::vector<std::string> environment = as_started_by_mpirun(rank, count);
        environment.insert(environment.end(), variables.begin(), variables.end());
        if (rank == 1 && second == SecondRank::starts_late)
          std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        if (rank == 1 && second == SecondRank::starts_when_the_first_has_ended)
          first_has_ended.get_future().wait();
        results[rank] = run_heed_in(environment, arguments);
        if (rank == 0) first_has_ended.set_value();
      });
    for (std::jthread& machine : machines) machine.join();
    return results;
  }
  /// The same, training without an end, from the moment on when they do. What rank r says is in
  /// file(r).
  std::vector<subprocess::Child> train_on_machines(int count,
                                                   const std::vector<std::string>& more = {}) {
    const std::string config = write_toy_config(
        folder_, {"run", kNone,
                  "learning_rate: 0.005, updates: 1000000, micro_batches: 4, log_every: 1, "
                  "validate_every: 1000000, save_every: 1000000"});
    std::vector<std::string> arguments = {"train", config};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<subprocess::Child> ranks;
    for (int rank = 0; rank < count; ++rank) {
      std::vector<std::string> line = as_started_by_mpirun(rank, count);
      line.insert(line.begin(), "env");
      for (const std::string& word : command(arguments)) line.push_back(word);
      ranks.push_back(subprocess::start(line, folder_ / std::to_string(rank)));
    }
    std::error_code not_yet;
    while (!(fs::file_size(folder_ / "run/metrics.jsonl", not_yet) > 0 && !not_yet)) {
      if (ranks[0].finished())
        throw std::runtime_error("it has ended before its first update\n" + file("0"));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return ranks;
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

  void expect_no_meeting_place(const std::string& run) const {
    for (const auto& entry : fs::directory_iterator(folder_ / run))
      EXPECT_THAT(entry.path().filename().string(), Not(::testing::StartsWith(".heed.ranks")));
  }

  const QuickScorer scorer_;
  bool with_test_set_ = false;
  TemporaryFolder folder_;
};

TEST_F(Ranks, DeleteAnOlderRunOnce) {
  with_test_set_ = true;
  const std::vector<std::string> other = {"--set", "seed=3"};
  ASSERT_EQ(train("one", kNone, {}).status, 0);
  ASSERT_EQ(train("two", kNone, other).status, 0);
  EXPECT_NE(file("two/model.safetensors"), file("one/model.safetensors"));
  const Result result = train("two", kNone, {"--ranks", "2", "--overwrite", "--restarts", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  expect_same("one", "two");
}

TEST_F(Ranks, MakeTheModelThatOneProcessMakes) {
  with_test_set_ = true;
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

TEST_F(Ranks, ReadStagesAndNoiseAsOneProcessDoes) {
  const std::vector<std::string> wanted = {
      "--set", "data.train.name=all",
      "--set", "data.stages=[{corpora: [all], until: {updates: 3}}, {corpora: [all]}]",
      "--set", "data.noise={upper: 0.2, typos: 0.2}"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), wanted.begin(), wanted.end());
    return more;
  };
  EXPECT_EQ(train("one", kTransformer, with({})).status, 0);
  EXPECT_THAT(file("one/train.log"), HasSubstr("data.stages.1 begins"));
  const Result half = train("some", kTransformer, with({"--set", "training.updates=5"}));
  EXPECT_EQ(half.status, 0) << half.err;
  const Result rest = train("some", kTransformer, with({"--resume", "--ranks", "2"}));
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(file("one/model.safetensors"), file("some/model.safetensors"));
}

TEST_F(Ranks, GoOnWithAnotherNumber) {
  EXPECT_EQ(train("one", kRnn, {"--set", "threads=3"}).status, 0);
  EXPECT_EQ(train("some", kRnn, {"--ranks", "2", "--set", "training.updates=4"}).status, 0);
  EXPECT_EQ(train("some", kRnn, {"--resume", "--set", "training.updates=8"}).status, 0);
  EXPECT_EQ(train("some", kRnn, {"--resume", "--ranks", "4"}).status, 0);
  EXPECT_EQ(file("one/model.safetensors"), file("some/model.safetensors"));
}

TEST_F(Ranks, MeetOverTheNetwork) {
  with_test_set_ = true;
  EXPECT_EQ(train("one", kRnn, {}).status, 0);
  const std::string config = write_toy_config(folder_, {"two", kRnn, kRankTraining, true});
  for (const Result& result : run_on_machines(2, {"train", config}))
    EXPECT_EQ(result.status, 0) << result.err;
  expect_same("one", "two");
}

// Both at once: they take some seconds, and little of the processor.
TEST_F(Ranks, MeetWhereOneStartsLateAndNameOneThatDoesNotCome) {
  const auto start = [&](const std::string& run, const std::string& seconds, SecondRank second) {
    return run_on_machines(3,
                           {"train", write_toy_config(folder_, {run, kNone, kRankTraining}),
                            "--rank-timeout", seconds},
                           {}, second);
  };
  auto late = std::async(std::launch::async, start, "late", "20", SecondRank::starts_late);
  const auto without = start("without", "2", SecondRank::starts_when_the_first_has_ended);
  for (const Result& result : late.get()) EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(without[0].status, 1);
  EXPECT_THAT(without[0].err, HasSubstr("rank 1 of 3 did not find"));
  EXPECT_THAT(without[0].err, HasSubstr("within 2 s; the run's folder must be the same on all"));
  for (const char* run : {"late", "without"}) expect_no_meeting_place(run);
}

TEST_F(Ranks, TellWhatTheCheckHasFoundAndAreAsQuiet) {
  const std::string config = write_toy_config(folder_, {"run", kNone, kRankTraining});
  const Result result = run_heed({"train", config, "--ranks", "2", "--set", "precision=auto"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("memory: "));
  EXPECT_THAT(file("run/train.log"), HasSubstr("memory: "));
  // The first rank measures for all.
  EXPECT_THAT(file("run/config.yaml"), HasSubstr("\nprecision: auto_"));
  EXPECT_EQ(file("run/train.log").find("precision: "), file("run/train.log").rfind("precision: "));
  const Result quiet = run_heed({"--quiet", "train", config, "--ranks", "2", "--overwrite"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.err, "");
}

// Both at once, as above.
TEST_F(Ranks, WaitForACheckAndAScoreThatTakeLongerThanAnExchangeMay) {
  const std::string scorer = folder_.write(
      "scorer",
      "#!/bin/sh\n"
      "mkdir '" +
          (folder_ / "called") +
          "' 2> /dev/null && sleep 6\n"
          R"(echo '{"name": "BLEU", "score": 12.5, "signature": "nrefs:1", "verbose_score": ""}')"
          "\n");
  fs::permissions(scorer, fs::perms::owner_all);
  const std::string config =
      write_toy_config(folder_, {"checked", kNone, kRankTraining, /*test=*/true});
  auto checked = std::async(std::launch::async, [&] {
    return run_on_machines(2,
                           {"train", config, "--rank-timeout", "4", "--set", "training.updates=1",
                            "--set", "evaluation.metrics=[bleu]"},
                           {"HEED_SACREBLEU=" + scorer});
  });
  const Result scored = train("scored", kNone,
                              {"--ranks", "2", "--rank-timeout", "4", "--set", "training.updates=1",
                               "--set", "training.validation_command=sleep 6; echo 7"});
  for (const Result& result : checked.get()) EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "called"));
  EXPECT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.err, HasSubstr("command 7"));
}

TEST_F(Ranks, EndWhereTheFirstFindsAFault) {
  const std::string config = write_toy_config(folder_, {"run", kNone, kRankTraining});
  const auto results = run_on_machines(
      2, {"train", config, "--set", "data.vocabulary.source=" + (folder_ / "missing.spm")});
  EXPECT_EQ(results[0].status, 2);
  EXPECT_THAT(results[0].err, HasSubstr("data.vocabulary.source"));
  EXPECT_EQ(results[1].status, 1) << results[1].err;
}

TEST_F(Ranks, EndAndDoNotStartAgainAfterASignalToOne) {
  const std::string told = train_until({"--restarts", "3"}, [](int launcher) {
    const int rank = process_of_rank(launcher, 1);
    ASSERT_GT(rank, 0);
    ::kill(rank, SIGUSR1);  // as a batch system that warns of a time limit
  });
  EXPECT_THAT(told, Not(HasSubstr("start again")));
}

// systemd, a scheduler or pkill signals so: each rank gets the signal, and once more from the
// process that has started them.
TEST_F(Ranks, SaveWhereEveryProcessGetsTheSignal) {
  train_until({}, [](int launcher) {
    const int first = process_of_rank(launcher, 0), second = process_of_rank(launcher, 1);
    for (const int process : {first, second, launcher}) {
      ASSERT_GT(process, 0);
      ::kill(process, SIGTERM);
    }
  });
}

// Another program's launcher learns of it by the exit code: 0 would mean that all is done.
TEST_F(Ranks, ThatAreInterruptedAllSaySo) {
  std::vector<subprocess::Child> ranks = train_on_machines(2);
  ranks[0].signal(SIGTERM);
  for (const std::string rank : {"0", "1"}) {
    EXPECT_EQ(ranks[std::stoul(rank)].wait(), 1) << file(rank);
    EXPECT_THAT(lines_of(file(rank)).back(), HasSubstr("interrupted at update "));
  }
}

// It keeps the store at which the ranks have met, which then answers nothing.
TEST_F(Ranks, EndInTimeWhereTheFirstHangs) {
  std::vector<subprocess::Child> ranks = train_on_machines(3, {"--rank-timeout", "3"});
  ranks[0].signal(SIGSTOP);
  for (const std::string rank : {"1", "2"}) {
    EXPECT_EQ(ranks[std::stoul(rank)].wait(), 1) << file(rank);
    EXPECT_THAT(lines_of(file(rank)).back(), HasSubstr("rank 0 of 3 is silent"));
  }
}

TEST_F(Ranks, MeetAmongTemporaryFiles) {
  const TemporaryFolder temporary;
  const std::string config = write_toy_config(folder_, {"run", kNone, kRankTraining});
  const std::vector<std::string> arguments{"train", config, "--ranks", "2"};
  EXPECT_EQ(run_heed_in({"TMPDIR=" + temporary.path()}, arguments).status, 0);
  EXPECT_TRUE(fs::is_empty(temporary.path()));
  const Result nowhere = run_heed_in({"TMPDIR=/nowhere"}, arguments);
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(lines_of(nowhere.err).back(),
              HasSubstr("the folder of temporary files ($TMPDIR, else /tmp): cannot write: "));
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
  const std::string config = write_toy_config(folder_, {"run", kNone, kRankTraining});
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
