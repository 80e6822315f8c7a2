// Finds what would prevent a training, before anything is trained.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "run/config.h"
#include "run/folder.h"
#include "train/config.h"

namespace heed::run {

// The memory that a training will take, known before it takes any.

/// Bytes on the run's device, of one rank. All but `batch` follow from the sizes of the weights;
/// `batch` is an estimate: numbers that a backward pass needs of each token, as this program was
/// seen to keep them (docs/training.md).
struct MemoryNeed {
  int64_t parameters = 0, trainable = 0;  // numbers
  int64_t weights = 0;                    // in fp32
  int64_t optimizer = 0;                  // its moments, of this rank's share
  int64_t average = 0;                    // training.ema, the same
  int64_t gradients = 0;                  // one set for each part that is computed at a time, and
                                          // the sums of parts that wait for each other
  int64_t batch = 0;                      // of the parts that are computed at a time
  int64_t parts = 1;                      // these
  int64_t tokens = 0;                     // target tokens of one of them
  int64_t engine = 0;                     // weights again, as validations translate with them on a
                                          // CPU, while there is no batch: so much at most

  int64_t model() const { return weights + optimizer + average + gradients; }
  int64_t beside_model() const { return std::max(batch, engine); }
  int64_t total() const { return model() + beside_model(); }
  /// "memory: about 1.4 GiB, of which weights 36.0 MiB, ...".
  std::string text() const;
};

struct MemoryOf {
  int64_t source = 0, target = 0;  // sizes of the vocabularies
  bool cpu = true;                 // the device
  int64_t threads = 1;             // of this rank, on a CPU
  int64_t ranks = 1;
};

/// Makes the model without its numbers. Throws as train::choose_trainable().
MemoryNeed memory_of(const Config& config, const MemoryOf& of);

/// Bytes that are free on the GPU that was opened last (model::open_device); nothing where that
/// does not say.
std::optional<int64_t> free_memory_of_gpu();

struct Check {
  std::vector<std::string> faults;    // the run cannot be made; each is one line with its cure
  std::vector<std::string> doubts;    // it may fail
  std::vector<std::string> notes;     // what it will take
  std::vector<std::string> warnings;  // that the run itself will give, too

  bool environment_only = true;  // no fault is the user's: a program is missing

  TrainedVocabularies trained;         // to see whether the text has so many pieces
  std::optional<int64_t> most_pieces;  // where it has not: size of the largest vocabulary

  /// Adds a mistake of the user's.
  void blame(std::string fault) {
    faults.push_back(std::move(fault));
    environment_only = false;
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
  bool lacks_train = false;  // data.train is empty until other work is done
  // A family in place of the configuration itself: names and configurations, for their memory.
  std::vector<std::pair<std::string, Config>> systems = {};
  bool header_is_told = false;  // a line of column names in a corpus; the caller has told of it
};

/// Whether validations translate their sets, or samples of them.
bool validations_translate(const train::TrainConfig& training);

/// Looks at everything that the configuration names: corpora (there, whole, as many lines on both
/// sides), vocabulary (there, or its size can be reached), the model to begin with, the scorer, the
/// shortlist and the glossary of the test set, the device with its precision and decoding.weights,
/// the memory. Reads the corpora once or twice. What it has found is in the order of that list.
Check check_run(const Config& config, const CheckOptions& options);

/// check_run() of a file with settings ("key=value"), or of the family in it: throws as
/// Check::require() and logs the rest.
void check_file(const std::string& file, const std::vector<std::string>& settings);

}  // namespace heed::run
