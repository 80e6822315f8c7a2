#include "train/losses.h"

#include <algorithm>

#include "data/batch.h"

namespace heed::train {

bool AuxiliaryLoss::applies_to(const data::Batch& batch) const {
  return needs != LossNeeds::links ||
         std::ranges::any_of(batch.links, [](const auto& row) { return !row.empty(); });
}

std::vector<AuxiliaryLoss> all_losses(const TrainConfig& config) {
#define HEED_LOSS(name, key, needs) {#name, #key, config.key, LossNeeds::needs},
  return {
#include "train/losses.def"
  };
#undef HEED_LOSS
}

std::vector<AuxiliaryLoss> auxiliary_losses(const TrainConfig& config) {
  std::vector<AuxiliaryLoss> losses = all_losses(config);
  std::erase_if(losses, [](const AuxiliaryLoss& loss) { return loss.weight == 0; });
  return losses;
}

}  // namespace heed::train
