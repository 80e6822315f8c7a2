// What `heed watch` knows of runs, as JSON: read from their folders, where nothing is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heed::run {

class Feed {
 public:
  /// Each place is the folder of a run, or one with runs in it, now or later.
  explicit Feed(std::vector<std::string> places) : places_(std::move(places)) {}

  /// All runs as they are now:
  ///   {"runs": [{"id", "state", "model", "metric", "update", "updates", "epoch",
  ///              "seconds", "left", "best": {"update", "loss", "bleu", "chrf", "command"},
  ///              "test": [score, ...],
  ///              "train": {"update": [...], "seconds", "loss", "speed", "rate"},
  ///              "valid": {"": {"update", "seconds", "loss", "bleu", "chrf", "command"}, SET:
  ///              ...}, "validations": [update, ...]}, ...],
  ///    "damaged": [message, ...]}
  /// `id` is its path, from the place that was named. Where there is no number there is null. Of
  /// long runs each point of "train" is the mean of some. A run that cannot be read is "damaged".
  std::string snapshot();

  /// What the run's validation at this update has left, {"update", "samples": [{"line", "source",
  /// "reference", "output"}, ...], "attention": study::layers_json or null}; nothing where there
  /// is no such run or validation.
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

  std::vector<std::string> places_;
  std::map<std::string, Known> known_;  // by folder
};

}  // namespace heed::run
