// The progress of a run: all that the training loop carries besides tensors, and its text in a
// checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/position.h"

namespace heed::train {

/// One of the best checkpoints.
struct Best {
  int64_t update = 0;
  double score = 0;  // what early_stopping.metric names
  std::optional<double> loss, bleu;
  std::string file;  // name within checkpoints/
};

/// Sums since the last line of metrics.
struct LogInterval {
  double loss = 0, nll = 0;                  // over target tokens
  std::map<std::string, double> terms = {};  // the same: the auxiliary losses (losses.h), by name
  int64_t tokens = 0;                        // target tokens without padding
  int64_t real = 0, padded = 0;              // both sides, without and with padding
  int64_t updates = 0, skipped = 0;
  double rate = 0;                 // learning rate of the last update
  double norm = 0;                 // of the last gradient
  double seconds = 0, waited = 0;  // of updates; of those, waiting for data
};

struct Progress {
  int64_t update = 0;
  int64_t epoch = 0;  // of the last batch, or its stage, from 0
  data::Position position;
  double seconds = 0;         // in all, validation included
  double update_seconds = 0;  // of updates alone
  int64_t tokens = 0;         // target tokens in all, without padding

  int64_t validated = 0;               // the update of the last validation
  int64_t stale = 0;                   // regular validations in a row without improvement
  int64_t reductions = 0;              // regular validations without improvement
  std::optional<double> regular_best;  // the best score of a regular validation
  std::optional<double> regular_loss;  // the loss of that one
  std::optional<double> lowest_loss, highest_bleu;
  std::vector<Best> best;  // best first

  int64_t skipped = 0, skipped_in_a_row = 0;
  int64_t rollbacks = 0;
  double rate_factor = 1;     // halved by each roll-back
  double loss_scale = 1;      // fp16
  double warmup_seconds = 0;  // `seconds` at the end of the warm-up
  int64_t scale_age = 0;      // updates since the scale changed

  LogInterval interval;

  /// Whether the weights of this update were validated and are the best so far.
  bool at_the_best() const { return !best.empty() && best.front().update == update; }

  std::string to_json() const;
  /// Throws UserError naming `origin`.
  static Progress from_json(const std::string& json, const std::string& origin);
};

}  // namespace heed::train
