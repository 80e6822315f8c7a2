// The training loop (private to this layer; trainer.h is the door). It says in which order updates,
// validations and checkpoints come; each of its parts has a state of its own.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/prefetcher.h"
#include "train/limits.h"
#include "train/metrics.h"
#include "train/progress_display.h"
#include "train/rank_sync.h"
#include "train/report_queue.h"
#include "train/run_files.h"
#include "train/trainer.h"
#include "train/update.h"

namespace heed::train {

class Loop {
 public:
  /// Starts a fresh run, or restores one: throws as train() does.
  explicit Loop(const TrainerSetup& setup);
  TrainResult run();

 private:
  StopReason loop();
  bool update_once();  // false: the data is at its end
  bool validation_is_due() const;
  bool validated() const;        // the weights as they are, or there is nothing to validate on
  bool complete() const;         // ended, with all that belongs to the end
  bool validate_now();           // false: interrupted
  bool validate_further_sets();  // the same
  void log_window(bool last);
  void save();
  void save_if_healthy();
  void restore(const CheckpointFolder::Found& found);
  void resume_data(const data::Position& position);
  void roll_back();
  StopReason finish(StopReason stopped);

  const TrainerSetup& setup_;
  const TrainConfig& config_;
  model::Model& model_;
  ranks::Group alone_;
  ranks::Group& group_;
  Shard shard_;
  Optimizer optimizer_;
  std::unique_ptr<Average> average_;
  Updater updater_;
  std::unique_ptr<data::Prefetcher> batches_;
  Progress progress_;
  RunFiles files_;
  TrainingLimits limits_;
  RankSync sync_;
  ReportQueue reports_;
  TrainingLog log_;
  Metrics metrics_;
  ProgressDisplay display_;
  std::vector<Observer*> observers_;
};

}  // namespace heed::train
