// The ranks of a run keep in common their state, the run's clock, interruptions, and the checkpoint
// from which they go on.
#pragma once

#include <chrono>
#include <optional>

#include "base/stopped_time.h"
#include "ranks/group.h"
#include "train/checkpoint.h"
#include "train/progress.h"

namespace heed::train {

struct TrainerSetup;  // train/setup.h

class RankSync {
 public:
  /// Both must outlive this object.
  RankSync(const TrainerSetup& setup, ranks::Group& group) : setup_(setup), group_(group) {}

  /// Brings `progress.seconds` forward by the first rank's clock, without the time in which the
  /// process was stopped, and compares the states of all
  /// ranks: throws Failure where they differ. An interruption of any is one of all. Collective.
  void synchronize(Progress& progress);

  /// Whether any rank was interrupted, when they were synchronized last.
  bool interrupted() const { return interrupted_; }
  /// Interrupts the run; all ranks must call it.
  void interrupt() { interrupted_ = true; }

  /// The newest whole checkpoint, as the first rank finds it: it alone changes the folder.
  /// Collective; throws as CheckpointFolder::latest() does.
  std::optional<CheckpointFolder::Found> find_checkpoint(const CheckpointFolder& folder,
                                                         bool healthy) const;

 private:
  using Clock = std::chrono::steady_clock;

  const TrainerSetup& setup_;
  ranks::Group& group_;
  Clock::time_point ticked_ = Clock::now();
  StoppedTime stopped_;
  double stopped_before_ = 0;  // of its seconds those that were left out
  bool interrupted_ = false;
};

}  // namespace heed::train
