// What the loop says on its way.
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/progress_line.h"
#include "base/strings.h"
#include "train/loop.h"
#include "train/schedule.h"

namespace heed::train {

void Loop::say_what_is_recorded() const {
  if (config_.graphs == Graphs::off || setup_.device.is_cpu()) return;
  const auto say = [](const std::string& what, const std::string& why) {
    log::info("training.graphs: " + what + (why.empty() ? " recorded" : " not recorded: " + why));
  };
  say("forward and backward passes are", updater_.recorded_pass().why_not());
  say("the optimizer's part of an update is", updater_.step().why_not_recorded());
}

void Loop::say_who_computes() const {
  const int64_t parts = parts_per_batch(config_) * config_.accumulate;
  const int64_t threads = at::get_num_threads(), all = threads * group_.size();
  if (!setup_.device.is_cpu() || all <= parts) return;
  const int64_t inner = threads_of_a_part(config_, group_.size());
  const std::string what = threads == 1 ? "ranks" : "threads";
  log::info("more " + what + " (" + std::to_string(all) + ") than parts of an update (" +
            std::to_string(parts) + "): " +
            (inner == 1 ? "the others wait"
                        : std::to_string(inner) +
                              " compute each part together, and the last bits depend on this "
                              "number") +
            ". More training.micro_batches would use all, each alone");
}

void Loop::warn_of_long_warmup() const {
  auto updates = static_cast<double>(planned_);
  std::string limit = "the training has " + with_commas(planned_) + " updates";
  const bool by_time = config_.max_minutes > 0 && progress_.update > 0;
  if (by_time) {
    const double pace = progress_.seconds / static_cast<double>(progress_.update);
    updates = std::min(updates, 60 * config_.max_minutes / pace);
    limit = "training.max_minutes: " + human_duration(60 * config_.max_minutes) +
            " are time for about " + with_commas(std::llround(updates)) + " updates";
  }
  const int64_t warmup = warmup_updates(config_);
  if (updates > static_cast<double>(warmup)) return;
  // Whoever asks for so few updates may well know it.
  const auto say = by_time ? log::warn : log::info;
  say(limit + ", and training.warmup has " + with_commas(warmup) +
      ": the learning rate rises until the end. Train longer, or set training.warmup to " +
      std::to_string(std::max<int64_t>(1, std::llround(updates / 10))));
}

double Loop::seconds_left() const {
  if (progress_.update == 0) return -1;
  // Validation and saving included, at the pace so far.
  const double pace = progress_.seconds / static_cast<double>(progress_.update);
  double left = pace * static_cast<double>(std::max<int64_t>(0, planned_ - progress_.update));
  if (config_.max_minutes > 0)
    left = std::min(left, std::max(0., 60 * config_.max_minutes - progress_.seconds));
  return left;
}

void Loop::log_window(bool last) {
  settle(0);
  const LineContext context{.left = seconds_left(),
                            .last = last,
                            .guided = config_.guided_alignment > 0,
                            .covered = config_.coverage_loss > 0};
  log::info(line_text(progress_, context));
  metrics_.train(progress_, context);
  note_window();
  if (!last) progress_.window = {};
}

namespace {

/// "BLEU ", of what decides; "" for the loss.
std::string score_name(StopMetric metric) {
  switch (metric) {
    case StopMetric::loss:
      return "";
    case StopMetric::bleu:
      return "BLEU ";
    case StopMetric::chrf:
      return "chrF ";
    default:
      return config::name_of(metric) + " ";
  }
}

std::string score_text(StopMetric metric, double value) {
  return fixed(value, metric == StopMetric::loss ? 3 : 2);
}

/// "4.2e-4", with so many digits after the point.
std::string rate_text(double rate, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*e", digits, rate);
  std::string short_one = text;
  const auto sign = short_one.find('e') + 1;
  if (short_one.compare(sign + 1, 1, "0") == 0) short_one.erase(sign + 1, 1);
  return short_one;
}

ProgressField time_field(double left, const std::string& instead) {
  if (!instead.empty()) return {instead, 0, instead, "..."};
  return time_left_field(left);
}

ProgressField rate_field(const std::optional<double>& rate) {
  if (!rate) return {};
  return {"rate " + rate_text(*rate, 1), 0, "lr " + rate_text(*rate, 1), rate_text(*rate, 0)};
}

ProgressField loss_field(const std::optional<double>& loss) {
  if (!loss) return {"starting"};
  return {"loss " + fixed(*loss, 3), 0, "loss " + human_count(*loss), human_count(*loss)};
}

ProgressField valid_field(StopMetric metric, const std::optional<double>& value) {
  if (!value) return {};
  return {"valid " + score_name(metric) + score_text(metric, *value), 0,
          "valid " + human_count(*value), "val " + human_count(*value)};
}

ProgressField best_field(StopMetric metric, const std::vector<Best>& best) {
  if (best.empty()) return {};
  return {"best " + score_text(metric, best.front().score), 0,
          "best " + human_count(best.front().score)};
}

}  // namespace

/// What a line shows right after a window has ended are the numbers of that one.
void Loop::note_window() {
  const Window& window = progress_.window;
  if (window.rate > 0) seen_rate_ = window.rate;
  if (window.tokens == 0 || window.seconds <= 0) return;
  seen_loss_ = window.loss / static_cast<double>(window.tokens);
  seen_speed_ = static_cast<double>(window.tokens) / window.seconds;
}

void Loop::show_progress(const std::string& instead_of_time_left) {
  const auto now = Clock::now();
  if (instead_of_time_left.empty() && now - shown_ < std::chrono::milliseconds(500)) return;
  shown_ = now;
  note_window();
  const StopMetric metric = config_.early_stopping.metric;
  const auto& bleu = validation_ ? validation_->scores.bleu : std::nullopt;
  std::vector<ProgressField> fields = {
      {with_commas(progress_.update) + "/" + with_commas(planned_), 3},
      loss_field(seen_loss_),
      rate_field(seen_rate_),
      {seen_speed_ ? human_count(*seen_speed_) + " tok/s" : "", 2},
      time_field(seconds_left(), instead_of_time_left),
      valid_field(metric, validation_ ? validation_->value(metric) : std::nullopt),
      best_field(metric, progress_.best),
      {bleu && metric != StopMetric::bleu ? "BLEU " + fixed(*bleu, 2) : "", 1}};
  log::progress([share = behind(), fields = std::move(fields)](int columns) {
    return progress_line(share, fields, columns);
  });
}

void Loop::say_where_it_starts(const std::string& checkpoint) const {
  const std::string at =
      "resuming at " + with_commas(progress_.update) + " of " + with_commas(planned_);
  if (!complete()) {
    log::info(at + " updates, from " + checkpoint);
    return;
  }
  const auto reason = ended();
  const char* const key = *reason == StopReason::updates   ? "training.updates"
                          : *reason == StopReason::epochs  ? "training.epochs"
                          : *reason == StopReason::minutes ? "training.max_minutes"
                                                           : "training.early_stopping.patience";
  log::info(at + ": nothing to do, raise " + key);
}

TrainResult Loop::result(StopReason stopped) const {
  TrainResult out;
  out.updates = progress_.update;
  out.stopped = stopped;
  out.best_loss = progress_.lowest_loss;
  out.best_bleu = progress_.highest_bleu;
  if (!progress_.best.empty()) {
    out.best_update = progress_.best.front().update;
    out.loss_of_best = progress_.best.front().loss;
    out.bleu_of_best = progress_.best.front().bleu;
  }
  out.minutes = progress_.seconds / 60;
  if (progress_.update_seconds > 0)
    out.tokens_per_second = static_cast<double>(progress_.tokens) / progress_.update_seconds;
  return out;
}

}  // namespace heed::train
