// w <- w - rate (g + decay w)
#include <ATen/ATen.h>

#include "train/config.h"
#include "train/optimizers/formula.h"

namespace heed::train {

void sgd_step(const TrainConfig& config, const StepNumbers& numbers, const StepLists& lists) {
  at::_fused_sgd_(lists.weights, lists.gradients, {}, config.weight_decay, 0.0, numbers.rate, 0.0,
                  false, false, false, numbers.scale, numbers.skip);
}

}  // namespace heed::train
