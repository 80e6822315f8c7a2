// A training run: batches in, the best weights out, and a folder that can go on after any
// interruption.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/batches.h"
#include "data/config.h"
#include "train/config.h"
#include "train/limits.h"
#include "train/setup.h"

namespace heed::train {

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

/// Returns the options of batches in the two sections. `threads` do subword sampling.
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
