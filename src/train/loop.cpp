#include "train/loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"

namespace heed::train {
namespace {

constexpr int64_t kSkipsInARow = 5;     // until the last checkpoint is taken back
constexpr std::size_t kInFlight = 2;    // updates that a GPU may be behind the host; a CPU never is
constexpr int64_t kPace = 10;           // updates after which the speed is known
constexpr int64_t kScaleGrowth = 2000;  // updates after which fp16 tries a larger loss scale

}  // namespace

TrainResult Loop::run() {
  if (complete()) {
    take_best_weights();
    return result(StopReason::nothing_to_do);
  }
  metrics_.truncate(progress_);
  const StopReason stopped = finish(loop());
  log::clear_progress();
  return result(stopped);
}

StopReason Loop::loop() {
  agree();
  show_progress();
  while (true) {
    if (interrupted_) {
      save();
      return StopReason::interrupted;
    }
    if (validation_is_due() && !validated() && !validate_now()) {
      interrupted_ = true;
      continue;
    }
    const bool goes_on = !ended() && update_once();
    if (!goes_on) settle(0);  // the last updates may take the run back, too
    if (roll_back_) {
      roll_back();
      continue;
    }
    if (!goes_on) return ended().value_or(StopReason::epochs);
    agree();
    if (progress_.update == kPace && config_.max_minutes > 0) warn_of_long_warmup();
    if (progress_.update % config_.log_every == 0) log_window(/*last=*/false);
    show_progress();
    if (progress_.update % config_.save_every == 0 && !validation_is_due()) save_if_healthy();
  }
}

/// Not between updates that are skipped.
void Loop::save_if_healthy() {
  settle(0);
  if (progress_.skipped_in_a_row == 0) save();
}

bool Loop::validation_is_due() const {
  return progress_.update > 0 && progress_.update % config_.validate_every == 0 &&
         !setup_.validation.empty();
}

bool Loop::validated() const {
  return setup_.validation.empty() || progress_.validated == progress_.update;
}

bool Loop::complete() const {
  return ended() && validated();
}

std::optional<StopReason> Loop::ended() const {
  if (progress_.update >= config_.updates) return StopReason::updates;
  if (config_.epochs > 0 && progress_.position.epoch >= config_.epochs) return StopReason::epochs;
  if (config_.max_minutes > 0 && progress_.seconds >= 60 * config_.max_minutes)
    return StopReason::minutes;
  if (config_.early_stopping.patience > 0 && progress_.stale >= config_.early_stopping.patience)
    return StopReason::patience;
  return std::nullopt;
}

double Loop::share(int64_t updates, double seconds) const {
  double share = static_cast<double>(updates) / static_cast<double>(planned_);
  if (config_.max_minutes > 0) share = std::max(share, seconds / (60 * config_.max_minutes));
  return std::min(share, 1.);
}

double Loop::behind() const {
  return share(progress_.update, progress_.seconds);
}

double Loop::rate() const {
  const double warmup_share = share(warmup_updates(config_), progress_.warmup_seconds);
  return progress_.rate_factor * learning_rate(config_, {.update = progress_.update + 1,
                                                         .share = behind(),
                                                         .warmup_share = warmup_share,
                                                         .reductions = progress_.reductions,
                                                         .width = setup_.width});
}

bool Loop::update_once() {
  const auto begin = Clock::now();
  const double waited = batches_->waited();
  const auto batches = batches_->next(config_.accumulate);
  progress_.position = batches_->position();
  if (!batches) return false;
  progress_.epoch = batches->epoch;
  const double now = rate();
  model_.train();
  group_.begin("update " + with_commas(progress_.update + 1) + " was computed");
  reports_.push_back(updater_.run(batches->parts, {.update = progress_.update + 1,
                                                   .rate = now,
                                                   .loss_scale = progress_.loss_scale,
                                                   .seed = setup_.seed}));
  ++progress_.update;
  if (setup_.updated) setup_.updated(progress_.update);
  unsaved_ = true;
  if (progress_.update <= warmup_updates(config_)) progress_.warmup_seconds = progress_.seconds;
  settle(setup_.device.is_cpu() ? 0 : kInFlight);
  const double seconds = seconds_between(begin, Clock::now());
  progress_.window.seconds += seconds;
  progress_.window.waited += batches_->waited() - waited;
  progress_.update_seconds += seconds;
  return true;
}

/// Takes the reports that have come, and waits until at most `may_wait` are under way. Which have
/// come is not the same on all ranks: together they take those alone that they wait for.
void Loop::settle(std::size_t may_wait) {
  const auto has_come = [&] { return group_.alone() && reports_.front().ready(); };
  while (!reports_.empty() && (reports_.size() > may_wait || has_come())) {
    const UpdateReport report = std::move(reports_.front());
    reports_.pop_front();
    account(report);
  }
}

void Loop::account(const UpdateReport& report) {
  const UpdateNumbers numbers = report.numbers();
  Window& window = progress_.window;
  ++window.updates;
  window.real += report.real;
  window.places += report.places;
  window.rate = report.plan.rate;
  window.norm = numbers.norm;
  ++progress_.scale_age;
  if (!numbers.finite()) return count_skipped(report, numbers);
  progress_.skipped_in_a_row = 0;
  window.loss += numbers.loss;
  window.nll += numbers.nll;
  window.align += numbers.align;
  window.cover += numbers.cover;
  window.tokens += report.tokens;
  progress_.tokens += report.tokens;
  if (setup_.precision == at::kHalf && progress_.scale_age >= kScaleGrowth) {
    progress_.loss_scale *= 2;
    progress_.scale_age = 0;
  }
}

void Loop::count_skipped(const UpdateReport& report, const UpdateNumbers& numbers) {
  ++progress_.skipped;
  ++progress_.window.skipped;
  if (setup_.precision == at::kHalf && report.plan.loss_scale > 1 && std::isfinite(numbers.loss)) {
    // fp16's range was too small for the scaled gradient, as it has to be now and then.
    progress_.loss_scale = std::min(progress_.loss_scale, report.plan.loss_scale / 2);
    progress_.scale_age = 0;
    return;
  }
  ++progress_.skipped_in_a_row;
  log::warn("update " + with_commas(report.plan.update) + " skipped: its " +
            (std::isfinite(numbers.loss) ? "gradient" : "loss") +
            " is not finite; sentences of lines " +
            origins_text(report.origins, setup_.corpus->parts().size()));
  if (progress_.skipped_in_a_row >= kSkipsInARow) roll_back_ = true;
}

/// Whether they came to an end.
bool Loop::validate_further_sets() {
  for (const ValidationSet& set : setup_.further) {
    const auto validation = validate(
        model_, {set.batches, set.scores, setup_.device, setup_.precision, setup_.interrupted,
                 group_, StopMetric::loss, progress_.update, set.name});
    if (!validation) return false;
    log::info(outcome_text(set.name, *validation, progress_));
    metrics_.further_validation(set.name, *validation, progress_);
  }
  return true;
}

/// Saves first: a validation takes long and runs another program. Whatever ends it, a run goes on
/// from here and repeats it. Its outcome is in the next checkpoint.
bool Loop::validate_now() {
  save();
  show_progress("validating");
  std::optional<Validation> validation;
  {
    const Averaged averaged(average_.get());
    group_.begin("update " + with_commas(progress_.update) + " was validated");
    validation = validate(
        model_, {setup_.validation, setup_.scores, setup_.device, setup_.precision,
                 setup_.interrupted, group_, config_.early_stopping.metric, progress_.update});
    if (!validation || !validate_further_sets()) return false;
    agree();
    unsaved_ = true;
    if (record(*validation, config_, progress_)) {
      keep_best_weights();
      write_model();
    }
  }
  log::info(validation_text(*validation, progress_, config_));
  if (!validation->finite())
    log::warn("the validation loss at update " + with_commas(progress_.update) +
              " is not finite: these weights are never the best ones, and what follows may be as "
              "bad; lower training.learning_rate");
  metrics_.validation(*validation, progress_);
  validation_ = validation;
  show_progress();
  return true;
}

}  // namespace heed::train
