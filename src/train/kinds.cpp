#include "train/kinds.h"

#include <cstddef>

#include "config/schema.h"

namespace heed::train {

const OptimizerInfo& optimizer_info(OptimizerKind kind) {
  static const std::vector<OptimizerInfo> all = {
#define HEED_OPTIMIZER(name, count, takes, help, ...) \
  {UpdateCount::count, StepTakes::takes, {__VA_ARGS__}},
#include "train/optimizers.def"
#undef HEED_OPTIMIZER
  };
  return all.at(static_cast<std::size_t>(kind));
}

const ScheduleInfo& schedule_info(ScheduleKind kind) {
  static const std::vector<ScheduleInfo> all = {
#define HEED_SCHEDULE(name, warmup, moves, help) {Warmup::warmup, RateMoves::moves},
#include "train/schedules.def"
#undef HEED_SCHEDULE
  };
  return all.at(static_cast<std::size_t>(kind));
}

const config::EnumText& heed_enum_text(OptimizerKind) {
  static const config::EnumText text{
#define HEED_OPTIMIZER(name, count, takes, help, ...) {#name, help},
#include "train/optimizers.def"
#undef HEED_OPTIMIZER
  };
  return text;
}

const config::EnumText& heed_enum_text(ScheduleKind) {
  static const config::EnumText text{
#define HEED_SCHEDULE(name, warmup, moves, help) {#name, help},
#include "train/schedules.def"
#undef HEED_SCHEDULE
  };
  return text;
}

}  // namespace heed::train
