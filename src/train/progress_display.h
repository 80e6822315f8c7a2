// The line at the bottom of a terminal that says how far a training is.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "train/limits.h"
#include "train/observer.h"
#include "train/progress.h"
#include "train/validation.h"

namespace heed::train {

class ProgressDisplay : public Observer {
 public:
  /// Both must outlive this object.
  ProgressDisplay(const TrainConfig& config, const TrainingLimits& limits)
      : config_(config), limits_(limits) {}

  /// Draws the line, at most twice a second unless something stands in place of the time left.
  void show(const Progress& progress, const std::string& instead_of_time_left = "");
  /// What the line shows right after a window has ended are the numbers of that one.
  void window(const Progress& progress, const LineContext& context) override;
  void validation(const Validation& validation, const Progress& progress) override;

 private:
  void note(const Window& window);

  const TrainConfig& config_;
  const TrainingLimits& limits_;
  std::chrono::steady_clock::time_point shown_;
  std::optional<double> loss_, speed_, rate_;  // seen last
  std::optional<Validation> validation_;       // the last one, unless the run has just begun
};

}  // namespace heed::train
