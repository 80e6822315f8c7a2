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

  /// Returns the number of updates, by training.updates and training.epochs.
  int64_t updates() const { return updates_; }
  /// Returns the limit that ends the training; nothing where it goes on.
  std::optional<StopReason> reached(const Progress& progress) const;
  /// Returns the share of the training that is done, in [0, 1]: of updates or of time, whichever is
  /// larger.
  double progress_share(const Progress& progress) const;
  /// Returns the seconds to the end of the training at the pace so far, validation and saving
  /// included; below 0: unknown.
  double seconds_left(const Progress& progress) const;
  /// Returns the learning rate of the next update.
  double rate(const Progress& progress) const;
  /// Warns where the training is expected to end within the warm-up.
  void warn_of_long_warmup(const Progress& progress) const;

 private:
  double share(int64_t updates, double seconds) const;

  const TrainerSetup& setup_;
  const TrainConfig& config_;
  int64_t updates_;
};

}  // namespace heed::train
