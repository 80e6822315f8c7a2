// The losses that a run can add to the cross entropy, as a list (losses.def).
//
//   loss = cross entropy + sum over the losses of weight * sum over the target tokens
#pragma once

#include <string>
#include <vector>

#include "train/config.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::train {

/// The data that a loss needs. Each kind includes those before it.
enum class LossNeeds {
  features,   // of the decoder
  attention,  // of the head that training.taught_layer and taught_head name
  links,      // of the batch's pieces
};

struct AuxiliaryLoss {
  std::string name;  // in the log, metrics.jsonl, TensorBoard and checkpoints
  std::string key;   // of its weight in the section `training`
  double weight = 0;
  LossNeeds needs;

  bool attends() const { return needs != LossNeeds::features; }
  /// Whether the batch has what it needs.
  bool applies_to(const data::Batch& batch) const;
};

/// Returns all losses in the order in which they are added, with the weights of `config`.
std::vector<AuxiliaryLoss> all_losses(const TrainConfig& config = {});
/// Returns the losses that have a weight.
std::vector<AuxiliaryLoss> auxiliary_losses(const TrainConfig& config);

}  // namespace heed::train
