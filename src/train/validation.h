// Loss and scores of a model on held-out pairs.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/pointer.h"
#include "ranks/group.h"
#include "score/metrics.h"
#include "train/config.h"
#include "train/progress.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::train {

/// The scores of a model's translations of a set.
struct ValidationScores {
  // The metrics that the configuration asks for have a value; the loss is none of them.
  score::MetricValues values = {};
  std::string problem = {};  // why one is missing; training goes on without it
};

/// Translates a set with the weights of the model, in eval mode without gradients, and scores the
/// translations, with the same result on all ranks; returns nothing where it was interrupted.
/// Throws Failure where the run has to end.
using ScoreModel = std::function<std::optional<ValidationScores>(model::Model&, int64_t update)>;

struct Validation {
  double loss = 0;  // -log p per target token, without smoothing
  int64_t tokens = 0;
  ValidationScores scores;
  double seconds = 0;

  bool finite() const;  // the loss
  double perplexity() const;
  /// The loss or a score.
  std::optional<double> value(Metric metric) const;
};

struct Validator {
  const std::vector<data::Batch>& batches;
  const ScoreModel& scores;  // may be empty
  at::Device device;
  at::ScalarType precision;
  const std::function<bool()>& interrupted;
  ranks::Group& group;            // its ranks divide the batches
  Metric decides = Metric::loss;  // early_stopping.metric
  int64_t update = 0;
  std::string set = {};  // its name, for messages; empty: data.valid
};

/// Validates a model, in eval mode and without gradients; restores the model's mode. Collective.
/// Returns nothing where it was interrupted. There are no scores where the loss is not finite.
/// If a score is missing, a warning says why; if that one decides, Failure is thrown.
std::optional<Validation> validate(model::Model& model, const Validator& validator);

/// Puts a validation into `progress`: best list (at most keep_best, best first), patience,
/// reductions of the plateau schedule. Between equal scores the lower loss is better. Returns
/// whether it is among the best ones; its `file` is then still empty. A loss that is not finite
/// never is.
bool record(const Validation& validation, const TrainConfig& config, Progress& progress);

}  // namespace heed::train
