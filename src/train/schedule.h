// The learning rate as a pure function of where training stands.
//
//   constant      rate
//   inverse_sqrt  rate * t / warmup, from t = warmup on rate * sqrt(warmup / t)
//   noam          rate * width^-0.5 * min(t^-0.5, t * warmup^-1.5)      (Vaswani et al. 2017, 5.3)
//   cosine        warm-up, then rate * (1 + cos(pi * share)) / 2, share of what follows the warm-up
//   plateau       warm-up, then rate * decay^reductions, one for a validation without improvement
//
//   luong         rate, and in the last third of training rate * decay^(1, 2, 3, 4), a quarter each
//
// Luong et al. 2015 (4.1) halve once an epoch after five of ten epochs; thirds of the planned
// training do the same for corpora of any size. constant and luong have no warm-up.
#pragma once

#include <cstdint>

#include "train/config.h"

namespace heed::train {

struct SchedulePoint {
  int64_t update = 1;       // t, from 1
  double share = 0;         // of the whole training that lies behind, in [0, 1]
  double warmup_share = 0;  // the share at which the warm-up ended (cosine)
  int64_t reductions = 0;   // plateau: validations without improvement so far
  int64_t width = 512;      // noam: the model's
};

/// Whether the rate rises over `warmup` updates.
bool warms_up(ScheduleKind schedule);

/// With `training.max_minutes` the share is of time, which is not the same in two runs: cosine and
/// luong are then not exact over interruptions.
double learning_rate(const TrainConfig& config, const SchedulePoint& point);

}  // namespace heed::train
