// What stands in the way of a training, said before anything is trained.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "run/config.h"

namespace heed::run {

struct Vocabularies;

struct Check {
  std::vector<std::string> faults;    // the run cannot be made; each is one line with its cure
  std::vector<std::string> doubts;    // it may fail
  std::vector<std::string> notes;     // what it will take
  std::vector<std::string> warnings;  // that the run itself will give, too

  bool of_the_world = true;  // no fault is the user's: a program is missing

  /// Adds a mistake of the user's.
  void blame(std::string fault) {
    faults.push_back(std::move(fault));
    of_the_world = false;
  }
  template <class First, class... More>
  void blame(fmt::format_string<First, More...> format, First&& first, More&&... more) {
    blame(fmt::format(format, std::forward<First>(first), std::forward<More>(more)...));
  }

  /// Runs a check that throws; a failure of the environment (a missing program) is a fault, too.
  template <class Work>
  bool passes(const Work& work) {
    try {
      work();
      return true;
    } catch (const UserError& error) {
      blame(error.what());
    } catch (const Failure& error) {
      faults.emplace_back(error.what());
    }
    return false;
  }

  /// Throws UserError, or Failure where all are the environment's, of all faults, where there are
  /// some; it begins with `what` unless there is only one.
  void require(const std::string& what) const;
  /// Logs doubts and notes.
  void tell() const;
};

struct CheckOptions {
  std::string file;        // of the configuration: its comments name the scripts that fetch corpora
  bool resume = false;     // go on with the run in the folder, if one has begun
  bool overwrite = false;  // delete that run first
  int64_t ranks = 1;       // of this machine
  bool own_device = true;  // this process will use it
  // A family in place of the configuration itself: names and configurations, for their memory.
  std::vector<std::pair<std::string, Config>> systems = {};
  // Those that were made for it already; without, the check sees whether they can be made.
  const Vocabularies* vocabularies = nullptr;
};

/// Whether validations translate their sets, or samples of them.
bool validations_translate(const train::TrainConfig& training);

/// Looks at everything that the configuration names: corpora (there, whole, as many lines on both
/// sides), vocabulary (there, or its size can be reached), the model to begin with, the scorer, the
/// device with its precision and decoding.weights, the memory. Reads the corpora once or twice;
/// streams are left alone. What it has found is in the order of that list.
Check check_run(const Config& config, const CheckOptions& options);

/// Its part for corpora: looks at every corpus of `config`: files there, as many lines on both
/// sides, text in them, some pairs left by limits and weights. `file` is the configuration, whose
/// comments name the scripts that fetch what is missing. Returns whether all training corpora can
/// be read.
bool check_corpora(const Config& config, const std::string& file, Check& found);

/// check_run() of a file with settings ("key=value"), or of the family in it: throws as
/// Check::require() and logs the rest.
void check_file(const std::string& file, const std::vector<std::string>& settings);

}  // namespace heed::run
