// v <- b1 v + g;  w <- w - rate v
// Polyak 1964; decay w is added to g.
#include <ATen/ATen.h>

#include "train/optimizers/formula.h"

namespace heed::train {

void momentum_step(const TrainConfig& config, const StepNumbers& numbers, const StepLists& lists) {
  const std::vector<Tensor>& velocities = lists.moments[0];
  if (config.weight_decay > 0)
    at::_foreach_add_(lists.gradients, lists.weights, config.weight_decay);
  at::_foreach_mul_(velocities, config.betas[0]);
  at::_foreach_add_(velocities, lists.gradients);
  at::_foreach_add_(lists.weights, velocities, -numbers.rate_now());
}

}  // namespace heed::train
