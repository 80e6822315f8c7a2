// a <- rho a + (1 - rho) g^2;  d = sqrt(b + epsilon) / sqrt(a + epsilon) g
// b <- rho b + (1 - rho) d^2;  w <- w - rate d
// Zeiler 2012, algorithm 1; decay w is added to g.
#include <ATen/ATen.h>

#include <vector>

#include "train/config.h"
#include "train/optimizers/formula.h"

namespace heed::train {

void adadelta_step(const TrainConfig& config, const StepNumbers& numbers, const StepLists& lists) {
  constexpr double kRho = 0.95;  // as in the paper's table 1
  const std::vector<Tensor>& squares = lists.moments[0];
  const std::vector<Tensor>& squared_deltas = lists.moments[1];
  if (config.weight_decay > 0)
    at::_foreach_add_(lists.gradients, lists.weights, config.weight_decay);
  at::_foreach_mul_(squares, kRho);
  at::_foreach_addcmul_(squares, lists.gradients, lists.gradients, 1 - kRho);
  auto deltas = at::_foreach_add(squared_deltas, config.epsilon);
  at::_foreach_sqrt_(deltas);
  auto roots = at::_foreach_add(squares, config.epsilon);
  at::_foreach_sqrt_(roots);
  at::_foreach_div_(deltas, roots);
  at::_foreach_mul_(deltas, lists.gradients);
  at::_foreach_mul_(squared_deltas, kRho);
  at::_foreach_addcmul_(squared_deltas, deltas, deltas, 1 - kRho);
  at::_foreach_add_(lists.weights, deltas, -numbers.rate_now());
}

}  // namespace heed::train
