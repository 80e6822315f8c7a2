#include "train/limits.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/log.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/batches.h"
#include "train/config.h"
#include "train/setup.h"

namespace heed::train {
namespace {

int64_t planned_updates(const TrainerSetup& setup, const TrainConfig& config) {
  if (config.epochs == 0) return config.updates;
  data::BatchOptions options = setup.batches;
  options.epochs = 0;
  const int64_t batches = data::BatchStream(setup.corpus, options).batches_in_epoch(0);
  const int64_t updates = (batches * config.epochs + config.accumulate - 1) / config.accumulate;
  return std::min(config.updates, updates);
}

}  // namespace

TrainingLimits::TrainingLimits(const TrainerSetup& setup) : TrainingLimits(setup, setup.config) {}

TrainingLimits::TrainingLimits(const TrainerSetup& setup, const TrainConfig& config)
    : setup_(setup), config_(config), updates_(planned_updates(setup, config)) {}

std::optional<StopReason> TrainingLimits::reached(const Progress& progress) const {
  if (progress.update >= config_.updates) return StopReason::updates;
  if (config_.epochs > 0 && progress.position.epoch >= config_.epochs) return StopReason::epochs;
  const auto stages = std::ssize(setup_.batches.stages);
  if (stages > 0 && progress.position.epoch >= stages) return StopReason::stages;
  if (config_.max_minutes > 0 && progress.seconds >= 60 * config_.max_minutes)
    return StopReason::minutes;
  if (config_.early_stopping.patience > 0 && progress.stale >= config_.early_stopping.patience)
    return StopReason::patience;
  return std::nullopt;
}

double TrainingLimits::share_of_updates(int64_t updates) const {
  return std::min(static_cast<double>(updates) / static_cast<double>(updates_), 1.);
}

double TrainingLimits::share_of_time(double seconds) const {
  return config_.max_minutes > 0 ? std::min(seconds / (60 * config_.max_minutes), 1.) : 0;
}

double TrainingLimits::progress_share(const Progress& progress) const {
  return std::max(share_of_updates(progress.update), share_of_time(progress.seconds));
}

double TrainingLimits::seconds_left(const Progress& progress) const {
  if (progress.update == 0) return -1;
  const double pace = progress.seconds / static_cast<double>(progress.update);
  double left = pace * static_cast<double>(std::max<int64_t>(0, updates_ - progress.update));
  if (config_.max_minutes > 0)
    left = std::min(left, std::max(0., 60 * config_.max_minutes - progress.seconds));
  return left;
}

SchedulePoint TrainingLimits::by_updates(const Progress& progress) const {
  return {.update = progress.update + 1,
          .share = share_of_updates(progress.update),
          .warmup_share = share_of_updates(warmup_updates(config_)),
          .reductions = progress.reductions,
          .width = setup_.width};
}

/// The two are compared by what follows the warm-up, so a slow beginning changes nothing. Nor does
/// a pause later that is shorter than the reserve, as long as the updates are made in time.
SchedulePoint TrainingLimits::by_updates_or_time(const Progress& progress) const {
  constexpr double kReserve = 0.05;  // of the time after the warm-up
  const SchedulePoint updates = by_updates(progress);
  SchedulePoint time = updates;
  time.share = share_of_time(progress.seconds);
  const double warmup = share_of_time(progress.warmup_seconds);
  time.warmup_share = warmup + kReserve * (1 - warmup);
  return done_after_warmup(config_, time) > done_after_warmup(config_, updates) ? time : updates;
}

double TrainingLimits::rate(const Progress& progress) const {
  return progress.rate_factor * learning_rate(config_, by_updates_or_time(progress));
}

bool TrainingLimits::rate_follows_time(const Progress& progress) const {
  return learning_rate(config_, by_updates_or_time(progress)) !=
         learning_rate(config_, by_updates(progress));
}

std::string TrainingLimits::time_text(const Progress& progress) const {
  return fmt::format(
      "from update {} on the learning rate follows the time: at this pace training.max_minutes: {} "
      "are over before {} updates are made. Another run will not have the same weights",
      with_commas(progress.update + 1), human_duration(60 * config_.max_minutes),
      with_commas(updates_));
}

void TrainingLimits::tell_of_other_rate(const TrainingLimits& before,
                                        const Progress& progress) const {
  const double was = before.rate(progress), is = rate(progress);
  if (std::abs(is - was) <= 0.01 * std::max(is, was)) return;
  log::info(
      "the learning rate of update {} is {:.3g}; with the settings that the run had before it "
      "would "
      "be {:.3g} (training.schedule: {}; training.updates: {} before, {} now)",
      with_commas(progress.update + 1), is, was, config::name_of(config_.schedule),
      with_commas(before.updates_), with_commas(updates_));
}

std::string TrainingLimits::expectation(const Progress& progress) const {
  constexpr double kSoon = 60;  // seconds
  const double left = seconds_left(progress);
  if (left < kSoon) return "";
  const double pace = progress.seconds / static_cast<double>(progress.update);
  const auto expected = progress.update + std::llround(left / pace);
  std::string text = fmt::format("at this pace {} of {} updates are made in {}",
                                 expected >= updates_ ? "all" : with_commas(expected),
                                 with_commas(updates_), human_duration(left));
  if (expected < updates_)
    text += fmt::format(" (training.max_minutes: {})", human_duration(60 * config_.max_minutes));
  else if (config_.epochs > 0)
    text += updates_ < config_.updates
                ? fmt::format(" (training.epochs: {})", config_.epochs)
                : fmt::format(
                      " (training.updates, which ends the training before training.epochs: "
                      "{})",
                      config_.epochs);
  if (setup_.validation.empty()) return text;
  const int64_t every = config_.validate_every;
  const int64_t next = (progress.update / every + 1) * every;
  if (next >= expected)
    return text +
           fmt::format("; the only validation comes at the end, training.validate_every is {}",
                       with_commas(every));
  return text + fmt::format("; the next validation comes at update {}, in {}", with_commas(next),
                            human_duration(pace * static_cast<double>(next - progress.update)));
}

void TrainingLimits::warn_of_long_warmup(const Progress& progress) const {
  auto updates = static_cast<double>(updates_);
  std::string limit = fmt::format("the training has {} updates", with_commas(updates_));
  const bool by_time = config_.max_minutes > 0 && progress.update > 0;
  if (by_time) {
    const double pace = progress.seconds / static_cast<double>(progress.update);
    updates = std::min(updates, 60 * config_.max_minutes / pace);
    limit =
        fmt::format("training.max_minutes: {} are time for about {} updates",
                    human_duration(60 * config_.max_minutes), with_commas(std::llround(updates)));
  }
  const int64_t warmup = warmup_updates(config_);
  if (updates > static_cast<double>(warmup)) return;
  const std::string text = fmt::format(
      "{}, and training.warmup has {}: the learning rate rises until the end. Train longer, or "
      "begin "
      "anew: --overwrite --set training.warmup={}",
      limit, with_commas(warmup), std::max<int64_t>(1, std::llround(updates / 10)));
  // Whoever asks for so few updates may well know it.
  by_time ? log::warn(text) : log::info(text);
}

}  // namespace heed::train
