#include "train/trainer.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "data/position.h"
#include "data/prefetcher.h"
#include "data/stages.h"
#include "model/adapters.h"
#include "model/model.h"
#include "model/weights.h"
#include "ranks/group.h"
#include "train/checkpoint.h"
#include "train/limits.h"
#include "train/losses.h"
#include "train/metrics.h"
#include "train/optimizer.h"
#include "train/progress.h"
#include "train/rank_sync.h"
#include "train/report_queue.h"
#include "train/shard.h"
#include "train/update.h"
#include "train/validation.h"

namespace heed::train {
namespace {

// Updates that the host may be ahead of a GPU; it is never ahead of a CPU.
constexpr std::size_t kInFlight = 2;
constexpr int64_t kPace = 10;  // updates after which the speed is known
constexpr int64_t kMostRollbacks = 3;
constexpr double kFirstLossScale = 65536;  // fp16

model::Model& on_device(const TrainerSetup& setup) {
  setup.model->to(setup.device);
  return *setup.model;
}

/// Returns the key that has to be raised for a training to go on.
std::string key_of(StopReason reason) {
  return reason == StopReason::updates   ? "training.updates"
         : reason == StopReason::epochs  ? "training.epochs"
         : reason == StopReason::stages  ? "the end of data.stages"
         : reason == StopReason::minutes ? "training.max_minutes"
                                         : "training.early_stopping.patience";
}

TrainResult result_of(const Progress& progress, StopReason stopped, const TrainingLimits& limits) {
  TrainResult out;
  out.updates = progress.update;
  out.planned = limits.updates();
  out.stopped = stopped;
  out.limit = limits.reached(progress).value_or(stopped);
  out.best_loss = progress.lowest_loss;
  out.best_bleu = progress.highest_bleu;
  if (!progress.best.empty()) {
    out.best_update = progress.best.front().update;
    out.loss_of_best = progress.best.front().loss;
    out.bleu_of_best = progress.best.front().bleu;
  }
  out.minutes = progress.seconds / 60;
  if (progress.update_seconds > 0)
    out.tokens_per_second = static_cast<double>(progress.tokens) / progress.update_seconds;
  return out;
}

/// The training loop. It says in which order updates, validations and checkpoints come; each of its
/// parts has a state of its own.
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
  void log_interval(bool last);
  void save(RunFiles::After after = RunFiles::After::training_goes_on);
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
  bool told_of_time_ = false;  // that the learning rate follows it
  RankSync sync_;
  ReportQueue reports_;
  TrainingLog log_;
  Metrics metrics_;
  ProgressDisplay display_;
  std::vector<Observer*> observers_;
};

Loop::Loop(const TrainerSetup& setup)
    : setup_(setup),
      config_(setup.config),
      model_(on_device(setup)),
      group_(setup.group ? *setup.group : alone_),
      shard_(model_, group_),
      optimizer_(config_, shard_),
      average_(config_.ema > 0 ? std::make_unique<Average>(shard_, config_.ema) : nullptr),
      updater_(model_, config_, setup.device, setup.precision, optimizer_, average_.get(),
               setup.another),
      files_(setup, group_, optimizer_, average_.get()),
      limits_(setup),
      sync_(setup, group_),
      reports_(setup, group_),
      log_(config_),
      metrics_(group_.leads() ? setup.folder : "", setup.config.tensorboard),
      display_(config_, limits_),
      observers_{&log_, &metrics_, &display_} {
  updater_.log_how_it_computes();
  const auto found =
      setup.resume ? sync_.find_checkpoint(files_.checkpoints(), /*healthy=*/false) : std::nullopt;
  if (!found) {
    limits_.warn_of_long_warmup(progress_);
    if (setup.resume) log::info("no checkpoint yet: training starts from the beginning");
    if (setup.precision == at::kHalf) progress_.loss_scale = kFirstLossScale;
    resume_data({});
    progress_.position = batches_->position();
    if (setup.begins && group_.leads()) setup.begins(0);
    save();
    return;
  }
  restore(*found);
  if (setup.begins && group_.leads()) setup.begins(progress_.update);
  const std::string at = fmt::format("resuming at {} of {}", with_commas(progress_.update),
                                     with_commas(limits_.updates()));
  if (complete())
    log::info(at + ": nothing to do, raise " + key_of(*limits_.reached(progress_)));
  else
    log::info(at + " updates, from " + found->path);
  if (setup.before && !complete())
    limits_.tell_of_other_rate(TrainingLimits(setup, *setup.before), progress_);
  if (files_.unsaved()) save();
}

TrainResult Loop::run() {
  if (complete()) {
    files_.take_best(progress_);
    return result_of(progress_, StopReason::nothing_to_do, limits_);
  }
  for (Observer* one : observers_) one->begins(progress_);
  const StopReason stopped = finish(loop());
  log::clear_progress();
  return result_of(progress_, stopped, limits_);
}

StopReason Loop::loop() {
  sync_.synchronize(progress_);
  display_.show(progress_);
  while (true) {
    if (sync_.interrupted()) {
      save(RunFiles::After::ranks_end);
      return StopReason::interrupted;
    }
    if (validation_is_due() && !validated() && !validate_now()) {
      sync_.interrupt();
      continue;
    }
    const bool goes_on = !limits_.reached(progress_) && update_once();
    if (!goes_on) reports_.collect_reports(0, progress_);  // these may take the run back, too
    if (reports_.wants_rollback()) {
      roll_back();
      continue;
    }
    if (!goes_on) return limits_.reached(progress_).value_or(StopReason::epochs);
    sync_.synchronize(progress_);
    if (progress_.update == kPace) {
      if (config_.max_minutes > 0) limits_.warn_of_long_warmup(progress_);
      if (const std::string text = limits_.expectation(progress_); !text.empty()) log::info(text);
    }
    if (progress_.update % config_.log_every == 0) log_interval(/*last=*/false);
    display_.show(progress_);
    if (progress_.update % config_.save_every == 0 && !validation_is_due()) save_if_healthy();
  }
}

bool Loop::validation_is_due() const {
  return progress_.update > 0 && progress_.update % config_.validate_every == 0 &&
         !setup_.validation.empty();
}

bool Loop::validated() const {
  return setup_.validation.empty() || progress_.validated == progress_.update;
}

bool Loop::complete() const {
  return limits_.reached(progress_) && validated();
}

bool Loop::update_once() {
  const auto begin = std::chrono::steady_clock::now();
  const double waited = batches_->waited();
  const auto batches = batches_->next(config_.accumulate);
  progress_.position = batches_->position();
  if (!batches) return false;
  if (!setup_.batches.stages.empty() &&
      (progress_.update == 0 || progress_.epoch != batches->epoch))
    log::info("data.stages.{} begins", batches->epoch);
  progress_.epoch = batches->epoch;
  const double rate = limits_.rate(progress_);
  if (!told_of_time_ && limits_.rate_follows_time(progress_)) {
    log::info(limits_.time_text(progress_));
    told_of_time_ = true;
  }
  model_.train();
  group_.begin(fmt::format("update {} was computed", with_commas(progress_.update + 1)));
  reports_.push(updater_.run(batches->parts, {.update = progress_.update + 1,
                                              .rate = rate,
                                              .loss_scale = progress_.loss_scale,
                                              .seed = setup_.seed}));
  ++progress_.update;
  if (setup_.updated) setup_.updated(progress_.update);
  files_.changed();
  if (progress_.update <= warmup_updates(config_)) progress_.warmup_seconds = progress_.seconds;
  reports_.collect_reports(setup_.device.is_cpu() ? 0 : kInFlight, progress_);
  const double seconds = seconds_between(begin, std::chrono::steady_clock::now());
  progress_.interval.seconds += seconds;
  progress_.interval.waited += batches_->waited() - waited;
  progress_.update_seconds += seconds;
  return true;
}

void Loop::log_interval(bool last) {
  reports_.collect_reports(0, progress_);
  const LineContext context{
      .left = limits_.seconds_left(progress_), .last = last, .terms = auxiliary_losses(config_)};
  for (Observer* one : observers_) one->interval(progress_, context);
  if (!last) progress_.interval = {};
}

bool Loop::validate_further_sets() {
  for (const ValidationSet& set : setup_.further) {
    const auto validation =
        validate(model_, {set.batches, set.scores, setup_.device, setup_.precision,
                          setup_.interrupted, group_, Metric::loss, progress_.update, set.name});
    if (!validation) return false;
    for (Observer* one : observers_) one->further_validation(set.name, *validation, progress_);
  }
  return true;
}

/// Saves first: a validation takes long and runs another program. Whatever ends it, a run goes on
/// from here and repeats it. Its outcome is in the next checkpoint.
bool Loop::validate_now() {
  save();
  display_.show(progress_, "validating");
  std::optional<Validation> validation;
  {
    const model::Replaced averages = averaged(average_.get());
    const model::Merged merged(model_);
    group_.begin(fmt::format("update {} was validated", with_commas(progress_.update)));
    {
      const model::Replaced whole_numbers = quantised(model_, config_.quantise);
      validation = validate(
          model_, {setup_.validation, setup_.scores, setup_.device, setup_.precision,
                   setup_.interrupted, group_, config_.early_stopping.metric, progress_.update});
      if (!validation || !validate_further_sets()) return false;
    }
    sync_.synchronize(progress_);
    files_.changed();
    if (record(*validation, config_, progress_)) files_.save_best(progress_);
  }
  for (Observer* one : observers_) one->validation(*validation, progress_);
  display_.show(progress_);
  return true;
}

/// Does nothing where nothing is new since the last time.
void Loop::save(RunFiles::After after) {
  reports_.collect_reports(0, progress_);
  sync_.synchronize(progress_);
  if (files_.unsaved()) files_.save(progress_, after);
}

/// Saves unless the last updates were skipped.
void Loop::save_if_healthy() {
  reports_.collect_reports(0, progress_);
  if (progress_.skipped_in_a_row == 0) save();
}

void Loop::restore(const CheckpointFolder::Found& found) {
  files_.restore(found);
  progress_ = found.checkpoint.progress;
  resume_data(progress_.position);
  reports_.clear();
}

void Loop::resume_data(const data::Position& position) {
  batches_.reset();
  data::BatchStream stream(setup_.corpus, setup_.batches);
  if (position != data::Position{}) stream.seek(position);
  batches_ = std::make_unique<data::Prefetcher>(std::move(stream), parts_per_batch(config_));
}

void Loop::roll_back() {
  const Progress before = progress_;
  const std::string what = "losses or gradients were not finite in several updates in a row";
  const auto found = sync_.find_checkpoint(files_.checkpoints(), /*healthy=*/true);
  if (!found || progress_.rollbacks >= kMostRollbacks)
    throw Failure(
        "training ends at update {}: {}, after {} returns to an older checkpoint; lower "
        "training.learning_rate, set training.clip_norm, or raise training.warmup, in a new run "
        "(--overwrite)",
        with_commas(before.update), what, before.rollbacks);
  restore(*found);
  progress_.rollbacks = before.rollbacks + 1;
  progress_.rate_factor = before.rate_factor / 2;
  progress_.skipped = before.skipped;
  progress_.skipped_in_a_row = 0;
  progress_.seconds = before.seconds;
  log::warn("{}: back from update {} to {} with half the learning rate ({} of {})", what,
            with_commas(before.update), with_commas(progress_.update), progress_.rollbacks,
            kMostRollbacks);
  for (Observer* one : observers_) one->begins(progress_);
  for (Observer* one : observers_) one->rollback(progress_);
  files_.changed();  // the lower rate has to be in the file, too
  save();
}

/// Leaves the folder complete, also where a run that had ended was killed before it was.
StopReason Loop::finish(StopReason stopped) {
  if (stopped == StopReason::interrupted) return stopped;
  if (!validated()) save();  // before anything that a full disk could end
  if (progress_.interval.updates > 0) log_interval(/*last=*/true);
  if (!validated() && !validate_now()) return StopReason::interrupted;
  save();
  files_.take_best(progress_);
  return stopped;
}

}  // namespace

data::BatchOptions batch_options(const TrainConfig& training, const data::DataConfig& data,
                                 uint64_t seed, int64_t threads) {
  return {.batch_size = training.batch_size,
          .tokens = training.batch_type == BatchType::tokens,
          .pool = data.pool,
          .seed = seed,
          .epochs = training.epochs,
          .sampling = data.subword_sampling,
          .noise = data.noise,
          .terms = data.terms,
          .stages = data::mixtures_of(data, training.accumulate),
          .threads = threads};
}

std::string TrainResult::reason() const {
  const std::string after = fmt::format(" after {} updates", with_commas(updates));
  switch (stopped) {
    case StopReason::updates:
      return "training is complete" + after;
    case StopReason::epochs:
      return fmt::format("training is complete{}: training.epochs are done", after);
    case StopReason::stages:
      return fmt::format("training is complete{}: data.stages are done", after);
    case StopReason::minutes:
      return fmt::format("training ended{}: training.max_minutes are over", after);
    case StopReason::patience:
      return fmt::format("training ended{}: no improvement any more (training.early_stopping)",
                         after);
    case StopReason::interrupted:
      return "training was interrupted" + after;
    case StopReason::nothing_to_do:
      return (limit == StopReason::minutes || limit == StopReason::patience
                  ? "training had ended already"
                  : "training was complete already") +
             after;
  }
  throw Bug("a stop without a reason");
}

TrainResult train(const TrainerSetup& setup) {
  expect(setup.model && setup.corpus, "a model and a corpus to train on");
  check(setup.config);
  return Loop(setup).run();
}

}  // namespace heed::train
