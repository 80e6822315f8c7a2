// A run that was killed and goes on ends with the same bits as one that never was.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Kind {
  const char* name;
  const char* model;
  int threads;
};

// All that a checkpoint has to carry is in play: dropout, sampled pieces, the average of weights,
// accumulated batches, several best weights.
constexpr const char* kTraining =
    "learning_rate: 0.005, updates: 50, accumulate: 2, ema: 0.9, validate_every: 15, "
    "save_every: 3, log_every: 5, keep_best: 2, keep_last: 2";

std::string prepare(const TemporaryFolder& folder, const Kind& kind) {
  write_toy_pairs(folder, "train", 600, 1);
  write_toy_pairs(folder, "valid", 20, 2);
  return write_toy_config(folder, {"run", kind.model, kTraining, false, kind.threads});
}

const std::vector<std::string> kMore = {"--set", "data.subword_sampling=0.3", "--resume"};

std::vector<std::string> with_more(const std::string& config) {
  std::vector<std::string> arguments{"train", config};
  arguments.insert(arguments.end(), kMore.begin(), kMore.end());
  return arguments;
}

std::string weights_in(const TemporaryFolder& folder) {
  return read_file(folder / "run/model.safetensors");
}

/// Losses of all training and validation events, with their updates.
std::vector<std::string> losses_in(const TemporaryFolder& folder) {
  std::vector<std::string> out;
  for (const std::string& line : lines_of(read_file(folder / "run/metrics.jsonl"))) {
    const auto event = nlohmann::json::parse(line);
    out.push_back(event.at("event").get<std::string>() + " " + event.at("update").dump() + " " +
                  event.at("loss").dump());
  }
  return out;
}

/// The result of a run without interruption, made once per kind.
struct Reference {
  std::string weights;
  std::vector<std::string> losses;

  static const Reference& of(const Kind& kind) {
    static std::map<std::string, Reference> made;
    const auto found = made.find(kind.name);
    if (found != made.end()) return found->second;
    const TemporaryFolder folder;
    train_toy(prepare(folder, kind), kMore);
    return made.emplace(kind.name, Reference{weights_in(folder), losses_in(folder)}).first->second;
  }
};

/// The newest update that is saved; -1 before the first.
int newest_checkpoint(const TemporaryFolder& folder) {
  int newest = -1;
  std::error_code none_yet;
  for (fs::directory_iterator it(folder / "run/checkpoints", none_yet), end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("update-") && name.ends_with(".heed"))
      newest = std::max(newest, std::stoi(name.substr(7)));
  }
  return newest;
}

/// Starts or resumes the run, and sends `number` some time after it saved something new. Returns
/// the exit status.
int interrupt_training(const TemporaryFolder& folder, const std::string& config, int number,
                       std::mt19937& random) {
  const int before = std::max(0, newest_checkpoint(folder));
  auto child = subprocess::start(command(with_more(config)), folder / "console.log");
  while (!child.finished() && newest_checkpoint(folder) <= before)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 60000));
  child.signal(number);
  return child.wait();
}

class Resume : public testing::TestWithParam<Kind> {
 protected:
  const unsigned seed_ = std::random_device()();
  std::mt19937 random_{seed_};
  TemporaryFolder folder_;

  void finish_and_compare(const std::vector<std::string>& arguments) {
    ASSERT_FALSE(fs::exists(folder_ / "run/summary.json")) << "the run ended before the signal";
    EXPECT_EQ(product(run_heed(arguments)), "");
    EXPECT_TRUE(weights_in(folder_) == Reference::of(GetParam()).weights)
        << "other weights after a resume; times of the signals: seed " << seed_;
    EXPECT_EQ(losses_in(folder_), Reference::of(GetParam()).losses) << "seed " << seed_;
  }
};

TEST_P(Resume, AfterSigkillTheBitsAreThoseOfARunNeverInterrupted) {
  const std::string config = prepare(folder_, GetParam());
  for (int kills = 0; kills < 2; ++kills)
    EXPECT_EQ(interrupt_training(folder_, config, SIGKILL, random_), 128 + SIGKILL);
  finish_and_compare(with_more(config));
}

TEST_P(Resume, AfterSigtermTheRunSaysHowToGoOnAndThenHasTheSameBits) {
  const std::string config = prepare(folder_, GetParam());
  EXPECT_EQ(interrupt_training(folder_, config, SIGTERM, random_), 1);
  const auto console = lines_of(read_file(folder_ / "console.log"));
  ASSERT_FALSE(console.empty());
  EXPECT_THAT(console.back(), HasSubstr("interrupted at update"));
  const std::vector<std::string> told{"train", folder_ / "run", "--resume"};
  EXPECT_THAT(console.back(), HasSubstr("`heed " + join(told, " ") + "`"));
  const std::string last = lines_of(read_file(folder_ / "run/train.log")).back();
  EXPECT_THAT(last, EndsWith(console.back().substr(std::string("heed: ").size())));
  finish_and_compare(told);
}

/// The last words of an interrupted run: how far it has come, and how to go on.
void expect_told_to_go_on(const TemporaryFolder& folder) {
  const auto console = lines_of(read_file(folder / "console.log"));
  ASSERT_FALSE(console.empty());
  EXPECT_THAT(console.back(), HasSubstr("interrupted at update"));
  EXPECT_THAT(console.back(), HasSubstr("`heed train " + (folder / "run") + " --resume`"));
}

// Batch systems send them before a time limit.
TEST(Resume, AWarningOfATimeLimitIsASigterm) {
  const Kind kind{"rnn", kRnn, 1};
  const TemporaryFolder folder;
  const std::string config = prepare(folder, kind);
  std::mt19937 random(1);
  for (const int number : {SIGUSR1, SIGUSR2}) {
    EXPECT_EQ(interrupt_training(folder, config, number, random), 1) << number;
    expect_told_to_go_on(folder);
  }
  ASSERT_FALSE(fs::exists(folder / "run/summary.json")) << "the run ended before the signals";
  train_toy(config, kMore);
  EXPECT_TRUE(weights_in(folder) == Reference::of(kind).weights);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Resume,
                         testing::Values(Kind{"rnn", kRnn, 1},
                                         Kind{"transformer", kTransformer, 2}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Starts the run on a terminal of its own, which is closed after a first checkpoint. Returns the
/// exit status.
int lose_terminal(const TemporaryFolder& folder, const std::string& config) {
  std::vector<std::string> arguments{"-q", "train", config};
  arguments.insert(arguments.end(), kMore.begin(), kMore.end());
  const std::vector<std::string> words = command(arguments);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_EQ(::grantpt(controller), 0);
  EXPECT_EQ(::unlockpt(controller), 0);
  const std::string name = ::ptsname(controller);
  const pid_t process = ::fork();
  if (process == 0) {
    ::signal(SIGHUP, SIG_DFL);
    ::setsid();
    const int terminal = ::open(name.c_str(), O_RDWR);  // now that of the session
    for (const int stream : {0, 1, 2}) ::dup2(terminal, stream);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  int status = 0;
  while (newest_checkpoint(folder) < 0 && ::waitpid(process, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::close(controller);
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Resume, AClosedTerminalLosesNothing) {
  const Kind kind{"rnn", kRnn, 1};
  const TemporaryFolder folder;
  const std::string config = prepare(folder, kind);
  EXPECT_EQ(lose_terminal(folder, config), 1);
  ASSERT_FALSE(fs::exists(folder / "run/summary.json")) << "the run ended before its terminal";
  train_toy(config, kMore);
  EXPECT_TRUE(weights_in(folder) == Reference::of(kind).weights);
}

TEST(Resume, ADamagedNewestCheckpointIsNamedAndTheOneBeforeTaken) {
  const Kind kind{"rnn", kRnn, 1};
  const TemporaryFolder folder;
  const std::string config = prepare(folder, kind);
  std::mt19937 random(1);
  interrupt_training(folder, config, SIGTERM, random);
  const int newest = newest_checkpoint(folder);
  std::string digits = std::to_string(newest);
  const std::string path =
      folder / ("run/checkpoints/update-" + std::string(8 - digits.size(), '0') + digits + ".heed");
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_atomic(path, bytes);
  const Result result = run_heed(with_more(config));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: " + path));
  EXPECT_TRUE(weights_in(folder) == Reference::of(kind).weights);
}

}  // namespace
}  // namespace heed::cli
