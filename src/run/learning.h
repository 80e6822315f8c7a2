// The runs below a folder: what state each is in, and how they learned, read from their metrics and
// drawn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "draw/plot.h"
#include "score/metrics.h"
#include "train/metrics_line.h"

namespace heed::run {

/// Folders that `heed train` writes or wrote: of each of `folders` in turn itself, or those at most
/// four folders below it in the order of their names. Each run once, whatever leads to it. A folder
/// that cannot be read has none.
std::vector<std::string> find_runs(const std::vector<std::string>& folders);

/// Calls read(run) for each of them. Where it throws UserError or Failure, or the run goes away
/// meanwhile, it calls damaged(message) and goes on: one damaged run hides none of the others.
void read_runs(const std::vector<std::string>& folders,
               const std::function<void(const std::string& run)>& read,
               const std::function<void(const std::string& message)>& damaged);

/// "training" while a process holds the run's folder, "finished" where it has its summary.json,
/// else "stopped".
std::string state_of_run(const std::string& run);

struct Learning {
  std::string name;
  std::vector<train::MetricsLine> events;  // of training and validations
};

/// Throws UserError where the folder has no metrics, or nothing is measured yet.
Learning read_learning(const std::string& folder, const std::string& name);

/// The metrics in the order of their pictures: the first score, which one looks for, then the loss,
/// then the others.
std::vector<score::Metric> metrics_to_draw();

/// The metrics that are listed, in the order of the table: those that are always listed, and
/// those that some of the lines have.
std::vector<score::Metric> listed_metrics(std::span<const train::MetricsLine> lines);

/// "chrF 55.21": the number that decides which validation is the best one; "" where there is none.
std::string deciding_score(const train::MetricsLine& validation, score::Metric metric);

/// Returns "train", "valid" or the name of a further set.
std::string set_of(const train::MetricsLine& event);

/// Returns the position of the event on the x axis: its update, or its minute if it has a time.
std::optional<double> x_of(const train::MetricsLine& event, bool minutes);

/// The lines of all runs, one colour for each; those of a validation's loss are dashed.
draw::Plot learning_curves(const std::vector<Learning>& runs, score::Metric metric, bool minutes);

/// The data of `heed watch` about runs, as JSON. It is read from their folders, where nothing is
/// written.
class Feed {
 public:
  /// Each is the folder of a run, or one with runs in it, now or later.
  explicit Feed(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  /// All runs as they are now:
  ///   {"runs": [{"id", "state", "model", "metric", "update", "updates", "epoch",
  ///              "seconds", "left", "best": {"update", the listed_metrics()},
  ///              "test": [score, ...],
  ///              "train": {"update": [...], "seconds", "loss", "speed", "rate"},
  ///              "valid": {"": {"update", "seconds", the listed_metrics()}, SET: ...},
  ///              "validations": [update, ...]}, ...],
  ///    "damaged": [message, ...]}
  /// `id` is its path, from the folder that was named. Where there is no number there is null. Of
  /// long runs each point of "train" is the mean of some. A run that cannot be read is "damaged".
  std::string snapshot();

  /// Returns the files of the run's validation at this update as JSON: {"update", "samples":
  /// [{"line", "source", "reference", "output"}, ...], "attention": study::layers_json or null};
  /// nothing where there is no such run or validation.
  std::optional<std::string> validation(const std::string& id, int64_t update) const;

 private:
  struct Files {  // what of a run's files shows that they have changed
    std::filesystem::file_time_type metrics, summary, config;
    std::uintmax_t bytes = 0;  // of the metrics
    std::string state;
    bool operator==(const Files&) const = default;
  };
  struct Known {  // of one run, read again when its files have changed
    Files files;
    std::string json;
  };
  std::string run_json(const std::string& run);

  std::vector<std::string> folders_;
  std::map<std::string, Known> known_;  // by folder
};

}  // namespace heed::run
