// The input of a training run.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/signals.h"
#include "data/batch.h"
#include "data/batches.h"
#include "data/corpus.h"
#include "model/pointer.h"
#include "ranks/group.h"
#include "train/config.h"
#include "train/update.h"
#include "train/validation.h"

namespace heed::train {

/// Another set that validations look at.
struct ValidationSet {
  std::string name;
  std::vector<data::Batch> batches;
  ScoreModel scores;
};

struct TrainerSetup {
  model::ModelPtr model;  // fresh, in any mode; is moved to `device`
  MakeModel another;      // for the other workers on a CPU; empty: all threads compute each part
  TrainConfig config;
  at::Device device = at::kCPU;
  at::ScalarType precision = at::kFloat;
  std::string folder;  // the run's; exists. Only the first rank writes there
  uint64_t seed = 1;   // of dropout
  int64_t width = 0;   // noam: the model's width

  std::shared_ptr<const data::Corpus> corpus;
  data::BatchOptions batches;           // batch_options()
  std::vector<data::Batch> validation;  // fixed_batches(); empty: no validation
  /// Computes the scores of the validation set; may be empty. If it throws Failure, only these
  /// scores are missing, unless one of them is early_stopping.metric.
  ScoreModel scores;
  std::vector<ValidationSet> further;  // validated after it; they decide nothing

  /// Called once, on the first rank, when the run is known to begin or to go on, with the updates
  /// that are done: its checkpoint was read and fits, and nothing in the folder has been changed.
  /// May be empty, and may throw.
  std::function<void(int64_t)> begins;

  /// This rank among those that make the run together; alone where it is nullptr. The run is
  /// started alike on all.
  ranks::Group* group = nullptr;
  /// The checksum of the configuration and corpus that a rank was given: the ranks stop where it
  /// differs.
  uint64_t checksum = 0;
  /// Called after each update with its number; may be empty.
  std::function<void(int64_t)> updated;

  bool resume = false;  // go on from the newest whole checkpoint, or start where there is none
  std::optional<TrainConfig> before = {};  // of a run that goes on: its configuration so far
  std::function<bool()> interrupted = signals::interrupted;
  /// The metadata of each file of weights and each checkpoint: what the weights belong to.
  std::map<std::string, std::string> metadata;
  std::string configuration;  // of the run, as text: into each checkpoint
  /// With training.adapters: the checksum of the weights that they are for. Checkpoints then hold
  /// the adapters alone, and fit no other weights.
  std::string base;
};

}  // namespace heed::train
