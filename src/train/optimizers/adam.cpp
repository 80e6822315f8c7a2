// m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
// w <- w - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
// Kingma and Ba 2015. adam adds decay w to g; adamw takes rate decay w from w (Loshchilov and
// Hutter 2019).
#include <ATen/ATen.h>

#include <optional>

#include "train/config.h"
#include "train/optimizers/formula.h"

namespace heed::train {
namespace {

template <class FusedStep>
void fused_step(const FusedStep& call, const TrainConfig& config, const StepNumbers& numbers,
                const StepLists& all) {
  call(all.weights, all.gradients, all.moments[0], all.moments[1], {}, all.counts, numbers.rate,
       config.betas[0], config.betas[1], config.weight_decay, config.epsilon, false, false,
       numbers.scale, numbers.skip);
}

using Call = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                      at::TensorList, at::TensorList, const Tensor&, double, double, double, double,
                      bool, bool, const std::optional<Tensor>&, const std::optional<Tensor>&);

}  // namespace

void adam_step(const TrainConfig& config, const StepNumbers& numbers, const StepLists& lists) {
  fused_step(static_cast<Call>(at::_fused_adam_), config, numbers, lists);
}

void adamw_step(const TrainConfig& config, const StepNumbers& numbers, const StepLists& lists) {
  fused_step(static_cast<Call>(at::_fused_adamw_), config, numbers, lists);
}

}  // namespace heed::train
