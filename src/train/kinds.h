// Facts that the tables state about each optimizer (optimizers.def) and schedule (schedules.def)
// besides its formula. The formulas are in optimizers/ and schedule.cpp.
#pragma once

#include <string>
#include <vector>

#include "train/config.h"

namespace heed::train {

/// Whether each parameter has a number of its updates, by which moments are corrected.
enum class UpdateCount { kCounted, kUncounted };

/// The form in which an optimizer's step takes the learning rate and the gradients.
enum class StepTakes {
  kTensors,  // the rate, the gradients' divisor and whether the update is skipped are tensors,
             // which LibTorch's fused steps read where they are: on a GPU the step may be part of a
             // graph
  kNumbers,  // the rate is a number, gradients are divided before, and there is no step where an
             // update is skipped: on a GPU the host waits for this
};

/// One line of optimizers.def.
struct OptimizerInfo {
  UpdateCount count;
  StepTakes takes;
  std::vector<std::string> moments;  // names, in checkpoints, of what is kept of each weight
};

/// The warm-up of a schedule, over which the learning rate rises from zero.
enum class Warmup {
  kIfSet,    // none, unless `warmup` sets one
  kUsual,    // 4,000 updates, unless `warmup` sets another one or none
  kDivides,  // the same, but at least one update, for the formula divides by their number
  kIsPart,   // as kDivides, and the rise is part of the formula
};

/// The quantity by which the learning rate changes after the warm-up.
enum class RateMoves {
  kByUpdates,      // the number of updates, or the share of the training that is done
  kByValidations,  // the scores of validations: a run must have some
};

/// One line of schedules.def.
struct ScheduleInfo {
  Warmup warmup;
  RateMoves moves;

  bool divides_by_warmup() const { return warmup == Warmup::kDivides || warmup == Warmup::kIsPart; }
};

const OptimizerInfo& optimizer_info(OptimizerKind kind);
const ScheduleInfo& schedule_info(ScheduleKind kind);

}  // namespace heed::train
