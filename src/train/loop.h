// The training loop and the state that it carries (private to this layer; trainer.h is the door).
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "data/prefetcher.h"
#include "train/checkpoint.h"
#include "train/metrics.h"
#include "train/schedule.h"
#include "train/trainer.h"
#include "train/update.h"

namespace heed::train {

class Loop {
 public:
  /// Starts a fresh run, or restores one: throws as train() does.
  explicit Loop(const TrainerSetup& setup);
  TrainResult run();

 private:
  // loop.cpp
  StopReason loop();
  std::optional<StopReason> ended() const;
  bool complete() const;  // ended, with all that belongs to the end
  bool update_once();     // false: the data is at its end
  bool validation_is_due() const;
  bool validated() const;  // the weights as they are, or there is nothing to validate on
  bool validate_now();
  bool validate_further_sets();                         // false: interrupted
  double share(int64_t updates, double seconds) const;  // of the training, in [0, 1]
  double behind() const;                                // the share until now
  double rate() const;
  void settle(std::size_t may_wait);
  void account(const UpdateReport& report);
  void count_skipped(const UpdateReport& report, const UpdateNumbers& numbers);

  // loop_state.cpp
  void start();
  void restore(const Checkpoint& checkpoint, const std::string& path);
  void read_on(const data::Position& position);
  void save();
  Metadata checkpoint_metadata() const;
  void save_if_healthy();
  void keep_best_weights();
  void write_model() const;
  void roll_back();
  StopReason finish(StopReason stopped);
  void take_best_weights();
  int64_t plan_updates() const;

  // loop_report.cpp
  void say_who_computes() const;
  void warn_of_long_warmup() const;
  void say_what_is_recorded() const;
  void say_where_it_starts(const std::string& checkpoint) const;
  void log_window(bool last);
  void note_window();
  void show_progress(const std::string& instead_of_time_left = "");
  double seconds_left() const;
  TrainResult result(StopReason stopped) const;

  // loop_ranks.cpp
  void agree();
  std::optional<CheckpointFolder::Found> agreed_checkpoint(bool healthy = false) const;

  using Clock = std::chrono::steady_clock;

  const TrainerSetup& setup_;
  const TrainConfig& config_;
  model::Model& model_;
  ranks::Group alone_;
  ranks::Group& group_;
  CheckpointFolder checkpoints_;
  Metrics metrics_;
  Shard shard_;
  Optimizer optimizer_;
  std::unique_ptr<Average> average_;
  Updater updater_;
  std::unique_ptr<data::Prefetcher> batches_;
  Progress progress_;
  std::deque<UpdateReport> reports_;  // of updates whose numbers are still on their way
  int64_t planned_ = 0;               // updates, by training.updates and training.epochs
  bool unsaved_ = true;               // progress since the last checkpoint
  Clock::time_point ticked_, shown_;
  std::optional<double> seen_loss_, seen_speed_, seen_rate_;  // for the progress line
  std::optional<Validation> validation_;  // the last one, unless the run has just begun
  bool interrupted_ = false;              // any rank was, when all agreed last
  bool roll_back_ = false;                // wanted
};

}  // namespace heed::train
