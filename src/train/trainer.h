// A training run: batches in, the best weights out, and a folder that can go on after any
// interruption.
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
#include "data/config.h"
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
  MakeModel another;      // for the other workers on a CPU; empty: all threads share each part
  TrainConfig config;
  at::Device device = at::kCPU;
  at::ScalarType precision = at::kFloat;
  std::string folder;  // the run's; exists. Only the first rank writes there
  uint64_t seed = 1;   // of dropout
  int64_t width = 0;   // noam: the model's width

  std::shared_ptr<const data::Corpus> corpus;
  data::BatchOptions batches;           // batch_options()
  std::vector<data::Batch> validation;  // fixed_batches(); empty: no validation
  /// Of the validation set. A Failure that it throws costs these scores alone, unless one of them
  /// is early_stopping.metric. May be empty.
  ScoreModel scores;
  std::vector<ValidationSet> further;  // validated after it; they decide nothing

  /// Called once, on the first rank, when the run is known to begin or to go on, with the updates
  /// that are done: its checkpoint was read and fits, and nothing in the folder has been changed.
  /// May be empty, and may throw.
  std::function<void(int64_t)> begins;

  /// This rank among those that make the run together; alone where it is nullptr. The run is
  /// started alike on all.
  ranks::Group* group = nullptr;
  /// What all ranks were given, configuration and corpus, in one number: they stop where it
  /// differs.
  uint64_t checksum = 0;
  /// Told of each update that is done; may be empty.
  std::function<void(int64_t)> updated;

  bool resume = false;  // go on from the newest whole checkpoint, or start where there is none
  std::function<bool()> interrupted = signals::interrupted;
  /// Into each file of weights and each checkpoint: what the weights belong to.
  std::map<std::string, std::string> metadata;
  std::string configuration;  // of the run, as text: into each checkpoint
  /// With training.adapters: the checksum of the weights that they are for. Checkpoints then hold
  /// the adapters alone, and fit no other weights.
  std::string base;
};

enum class StopReason { updates, epochs, stages, minutes, patience, interrupted, nothing_to_do };

struct TrainResult {
  int64_t updates = 0;
  int64_t planned = 0;                               // by training.updates and training.epochs
  int64_t best_update = 0;                           // 0 where nothing was validated
  std::optional<double> best_loss;                   // lowest validation loss, per token
  std::optional<double> best_bleu;                   // highest validation BLEU
  std::optional<double> loss_of_best, bleu_of_best;  // of the best checkpoint
  StopReason stopped = StopReason::updates;
  StopReason limit = StopReason::updates;  // the one that was reached, maybe before this part
  double minutes = 0;                      // in all, resumed parts included
  double tokens_per_second = 0;            // target tokens without padding, while updating
  std::string reason() const;              // "stopped after 20,000 updates" and so on
};

/// What the two sections say about batches. `threads` do subword sampling.
data::BatchOptions batch_options(const TrainConfig& training, const data::DataConfig& data,
                                 uint64_t seed, int64_t threads);

/// Trains. Afterwards `folder` has model.safetensors (the best weights by early_stopping.metric, or
/// the average of the keep_best best ones; the last ones without validation), metrics.jsonl and
/// checkpoints/; the model holds the weights of model.safetensors, in eval mode. After an
/// interruption (StopReason::interrupted) everything is saved and the model holds the last weights.
///
/// Throws UserError for a checkpoint that does not fit or a folder that has checkpoints without
/// `resume`, Failure where losses stay not finite, no validation has a finite loss, memory is too
/// small for one sentence, the disk is full, there is no score that early_stopping.metric needs,
/// or another rank is gone or has other numbers.
TrainResult train(const TrainerSetup& setup);

}  // namespace heed::train
