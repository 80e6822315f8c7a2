// The learning rate as a pure function of where training stands. schedules.def has the formulas in
// words.
#pragma once

#include <cstdint>

#include "train/config.h"

namespace heed::train {

struct SchedulePoint {
  int64_t update = 1;       // t, from 1
  double share = 0;         // share of the whole training that is done, in [0, 1]
  double warmup_share = 0;  // the share at which the warm-up ended (cosine)
  int64_t reductions = 0;   // plateau: validations without improvement so far
  int64_t width = 512;      // noam: the model's
};

/// Returns the learning rate. Where `training.max_minutes` end the training, the share is of time,
/// which is not the same in two runs: cosine and luong are then not exact over interruptions.
double learning_rate(const TrainConfig& config, const SchedulePoint& point);

/// Returns the share of the training after the warm-up that is done, in [0, 1].
double done_after_warmup(const TrainConfig& config, const SchedulePoint& point);

/// Returns the factor by which each schedule multiplies learning_rate. The rise of the warm-up is
/// multiplied with it, except for schedules whose line says Warmup::kIsPart.
#define HEED_SCHEDULE(name, ...) \
  double name##_factor(const TrainConfig& config, const SchedulePoint& point);
#include "train/schedules.def"
#undef HEED_SCHEDULE

}  // namespace heed::train
