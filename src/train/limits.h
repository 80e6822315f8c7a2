// When a training ends, how far it has come, and the learning rate that follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/config.h"
#include "train/progress.h"
#include "train/schedule.h"

namespace heed::train {

struct TrainerSetup;  // train/setup.h

enum class StopReason { updates, epochs, stages, minutes, patience, interrupted, nothing_to_do };

class TrainingLimits {
 public:
  /// `setup` must outlive this object.
  explicit TrainingLimits(const TrainerSetup& setup);
  /// The same with another configuration, which must outlive this object, too.
  TrainingLimits(const TrainerSetup& setup, const TrainConfig& config);

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
  /// Returns the learning rate of the next update. A schedule that moves with the training ends
  /// with the updates, or with the time where that is over first at the pace since the warm-up. As
  /// long as the updates are made in time, it does not depend on the time.
  double rate(const Progress& progress) const;
  /// Whether that rate would be another one without training.max_minutes: at the pace since the
  /// warm-up the time is over before the updates are made.
  bool rate_follows_time(const Progress& progress) const;
  /// Returns what a user is told of it.
  std::string time_text(const Progress& progress) const;
  /// Tells of a run that goes on what its learning rate is now, where it would be another one with
  /// the configuration that the run had `before`.
  void tell_of_other_rate(const TrainingLimits& before, const Progress& progress) const;
  /// Returns what a user is told after the first updates of a training: when it ends at this pace,
  /// and when its first validation comes. "" where that is within a minute.
  std::string expectation(const Progress& progress) const;
  /// Warns where the training is expected to end within the warm-up.
  void warn_of_long_warmup(const Progress& progress) const;

 private:
  double share_of_updates(int64_t updates) const;
  double share_of_time(double seconds) const;  // 0 without a limit
  SchedulePoint by_updates(const Progress& progress) const;
  SchedulePoint by_updates_or_time(const Progress& progress) const;

  const TrainerSetup& setup_;
  const TrainConfig& config_;
  int64_t updates_;
};

}  // namespace heed::train
