// When a training ends, how far it has come, and the learning rate that follows from it.
#pragma once

#include <cstdint>
#include <optional>

#include "train/config.h"
#include "train/progress.h"

namespace heed::train {

struct TrainerSetup;  // train/setup.h

enum class StopReason { updates, epochs, stages, minutes, patience, interrupted, nothing_to_do };

class TrainingLimits {
 public:
  /// `setup` must outlive this object.
  explicit TrainingLimits(const TrainerSetup& setup);

  /// Updates, by training.updates and training.epochs.
  int64_t updates() const { return updates_; }
  /// Nothing where the training goes on.
  std::optional<StopReason> reached(const Progress& progress) const;
  /// Of the training, in [0, 1]: the larger share of updates and of time.
  double progress_share(const Progress& progress) const;
  /// Validation and saving included, at the pace so far; below 0: unknown.
  double seconds_left(const Progress& progress) const;
  /// Learning rate of the next update.
  double rate(const Progress& progress) const;
  /// Where the training ends within the warm-up, as far as one knows.
  void warn_of_long_warmup(const Progress& progress) const;

 private:
  double share(int64_t updates, double seconds) const;

  const TrainerSetup& setup_;
  const TrainConfig& config_;
  int64_t updates_;
};

}  // namespace heed::train
