// How good a model is on held-out pairs.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <optional>
#include <vector>

#include "data/batch.h"
#include "model/model.h"
#include "ranks/group.h"
#include "train/config.h"
#include "train/progress.h"

namespace heed::train {

struct Validation {
  double loss = 0;  // -log p per target token, without smoothing
  int64_t tokens = 0;
  std::optional<double> bleu;
  double seconds = 0;

  bool finite() const;  // the loss
  double perplexity() const;
};

struct Validator {
  const std::vector<data::Batch>& batches;
  const std::function<std::optional<double>(model::Model&)>& bleu;
  at::Device device;
  at::ScalarType precision;
  const std::function<bool()>& interrupted;
  ranks::Group& group;        // its ranks share out the batches
  bool bleu_decides = false;  // early_stopping.metric: bleu
};

/// Collective. In eval mode and without gradients; the model's mode is as before afterwards.
/// Nothing where an interruption comes first. No BLEU where the loss is not finite. Where `bleu`
/// throws Failure, a warning says so and there is no score; where BLEU decides, that Failure is
/// thrown.
std::optional<Validation> validate(model::Model& model, const Validator& validator);

/// Puts a validation into `progress`: best list (at most keep_best, best first), patience,
/// reductions of the plateau schedule. Returns whether it is among the best ones; its `file` is
/// then still empty. A loss that is not finite never is.
bool record(const Validation& validation, const TrainConfig& config, Progress& progress);

}  // namespace heed::train
