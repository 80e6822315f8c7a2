// 1 - share, share the part of what follows the warm-up that is done
// Devlin et al. 2019, A.2.
#include "train/schedule.h"

namespace heed::train {

double linear_factor(const TrainConfig& config, const SchedulePoint& point) {
  return 1 - done_after_warmup(config, point);
}

}  // namespace heed::train
