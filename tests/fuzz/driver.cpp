// A fuzzer for compilers without libFuzzer, and what ctest runs: replays seeds and regressions of
// each target and makes further inputs out of them. All is decided by --seed, but for --seconds.
//
//   fuzz_text [TARGET...] [--runs N] [--seconds S] [--seed N] [--findings FOLDER]
//   fuzz_text TARGET --input FILE      one input again, as a finding says it
//
// Ends with 1 at the first finding: an exception that is none of heed's errors, a crash, a
// sanitizer's report, or more than 10 s of the processor's time. The input is then a file in
// FOLDER. What the runs of a target leak, LeakSanitizer tells at the end.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "fuzz/coverage.h"
#include "fuzz/mutate.h"

// Made by CMake out of targets/: fuzz_NAME is the entry point of targets/NAME.cpp.
#define HEED_FUZZ_TARGET(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size);
#include HEED_FUZZ_TABLE
#undef HEED_FUZZ_TARGET

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace heed::fuzz {
namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};
#define HEED_FUZZ_TARGET(name) Target{#name, fuzz_##name},
constexpr std::array kTargets = {
#include HEED_FUZZ_TABLE
};
#undef HEED_FUZZ_TARGET

constexpr int kMostSeconds = 10;  // of one input, of the processor's time
constexpr std::size_t kLongestInput = 4096, kLargestPool = 4096;

struct Options {
  std::vector<std::string> targets;
  std::string findings = ".", input;
  uint64_t seed = 1;
  std::size_t runs = 300;
  double seconds = 0;  // 0: as many runs
};

// --- findings; what follows may be called by a signal, on a stack of its own

/// Variables that a signal's handler needs, because it may not allocate.
struct Current {
  const char* data = nullptr;
  std::size_t size = 0;
  char path[4096] = "";  // of the finding
  char runs[64] = "";    // how many there were
} current;

void say(const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] void end_with_finding(const char* what) {
  if (current.data != nullptr) {
    const int file = ::open(current.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    [[maybe_unused]] const ssize_t written = ::write(file, current.data, current.size);
    ::close(file);
  } else {
    std::strcpy(current.path, "none, for it is not known which: a leak");
  }
  const char* parts[] = {current.runs, "FINDING: ", what, "\ninput: ", current.path, "\n"};
  for (const char* part : parts) say(part);
  ::_exit(1);
}

void on_signal(int signal) {
  end_with_finding(signal == SIGPROF ? "no end within 10 s" : ::strsignal(signal));
}

void on_report() {
  end_with_finding("a sanitizer's report");
}

void watch_for_crashes() {
  static std::array<char, 1 << 16> stack;
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  ::sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  std::vector<int> signals = {SIGPROF, SIGABRT};
  if (__sanitizer_set_death_callback != nullptr)
    __sanitizer_set_death_callback(on_report);  // with a report of where
  else
    signals.insert(signals.end(), {SIGSEGV, SIGBUS, SIGFPE, SIGILL});
  for (const int signal : signals) ::sigaction(signal, &action, nullptr);
}

void set_clock(int seconds) {
  itimerval clock{};
  clock.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &clock, nullptr);
}

// --- runs

std::string read_whole(const fs::path& path) {
  return read_file(path.string());
}

/// All files of a folder, by name.
std::vector<std::string> inputs_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> inputs;
  for (const auto& file : files) inputs.push_back(read_whole(file));
  return inputs;
}

class Fuzzer {
 public:
  Fuzzer(const Target& target, const Options& options)
      : target_(target), options_(options), home_(HEED_FUZZ_FOLDER) {}

  void replay(const std::string& file) {
    name_finding(0);
    execute(read_whole(file));
  }

  /// Returns how many inputs were run.
  std::size_t fuzz() {
    std::vector<std::string> pool = inputs_in(home_ / "seeds" / target_.name);
    if (pool.empty()) throw UserError(std::string(target_.name) + ": has no seeds");
    for (auto& input : inputs_in(home_ / "regressions" / target_.name))
      pool.push_back(std::move(input));
    const auto start = std::chrono::steady_clock::now();
    std::size_t longest = kLongestInput;
    for (const std::string& input : pool) {
      longest = std::max(longest, 2 * input.size());
      run(input);
    }
    Mutator mutator(dictionary(), options_.seed);
    const std::size_t given = pool.size();
    const auto more = [&] {
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
      return options_.seconds > 0 ? past.count() < options_.seconds : runs_ < given + options_.runs;
    };
    while (more()) {
      std::string input = mutator.next(pool, longest);
      if (run(input) && pool.size() < kLargestPool) pool.push_back(std::move(input));
    }
    return runs_;
  }

 private:
  std::vector<std::string> dictionary() const {
    const fs::path path = home_ / "dictionaries" / (std::string(target_.name) + ".txt");
    if (!fs::exists(path)) return {};
    return parse_dictionary(read_whole(path), path.string());
  }

  void name_finding(std::size_t number) const {
    const std::string path = options_.findings + "/" + target_.name + "-" +
                             std::to_string(options_.seed) + "-" + std::to_string(number);
    std::snprintf(current.path, sizeof current.path, "%s", path.c_str());
    std::snprintf(current.runs, sizeof current.runs, "%s: %zu executions\n", target_.name, number);
  }

  /// Whether the input reached new code.
  bool run(const std::string& input) {
    name_finding(++runs_);
    begin_path();
    execute(input);
    return path_is_new();
  }

  void execute(const std::string& input) const {
    current.data = input.data();
    current.size = input.size();
    // The copy has exactly that size, so that a sanitizer sees who reads on.
    const auto bytes = std::make_unique<uint8_t[]>(input.size());
    std::copy(input.begin(), input.end(), bytes.get());
    set_clock(kMostSeconds);
    try {
      target_.run(bytes.get(), input.size());
    } catch (const std::exception& error) {
      end_with_finding(error.what());
    }
    set_clock(0);
    current.data = nullptr;
  }

  const Target& target_;
  const Options& options_;
  fs::path home_;
  std::size_t runs_ = 0;
};

template <class Number>
Number number(const std::string& text) {
  const auto value = exact_number<Number>(text);
  if (!value) throw UserError("'" + text + "' is no number");
  return *value;
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string word = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size()) throw UserError(word + " needs a value");
      return std::string(arguments[i]);
    };
    if (word == "--runs")
      options.runs = number<std::size_t>(value());
    else if (word == "--seconds")
      options.seconds = number<double>(value());
    else if (word == "--seed")
      options.seed = number<uint64_t>(value());
    else if (word == "--findings")
      options.findings = value();
    else if (word == "--input")
      options.input = value();
    else if (word.starts_with('-'))
      throw UserError("unknown option '" + word + "'");
    else
      options.targets.push_back(word);
  }
  return options;
}

std::vector<Target> chosen(const Options& options) {
  if (options.targets.empty()) return {kTargets.begin(), kTargets.end()};
  std::vector<Target> targets;
  for (const std::string& name : options.targets) {
    const auto found = std::ranges::find_if(kTargets, [&](auto& one) { return one.name == name; });
    if (found == kTargets.end()) throw UserError("no target is called '" + name + "'");
    targets.push_back(*found);
  }
  return targets;
}

void run(const Options& options) {
  watch_for_crashes();
  for (const Target& target : chosen(options)) {
    Fuzzer fuzzer(target, options);
    if (!options.input.empty()) {
      fuzzer.replay(options.input);
    } else {
      const auto start = std::chrono::steady_clock::now();
      const std::size_t runs = fuzzer.fuzz();
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
      std::printf("%s: %zu executions in %.1f s\n", target.name, runs, past.count());
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace heed::fuzz

int main(int argc, char** argv) {
  try {
    heed::fuzz::run(heed::fuzz::parse({argv + 1, static_cast<std::size_t>(argc - 1)}));
    return 0;
  } catch (const heed::UserError& error) {
    std::fprintf(stderr, "fuzz: %s\n", error.what());
    return 2;
  }
}
