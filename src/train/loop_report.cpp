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

namespace heed::train {

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

/// "BLEU 31.20", of what decides; "" where there is no such number.
std::string score_text(StopMetric metric, std::optional<double> value) {
  if (!value) return "";
  if (metric == StopMetric::loss) return fixed(*value, 3);
  const std::string name = config::name_of(metric);
  return (metric == StopMetric::bleu   ? "BLEU"
          : metric == StopMetric::chrf ? "chrF"
                                       : name) +
         " " + fixed(*value, 2);
}

/// In whole seconds: no more is known.
std::string left_text(double seconds) {
  if (seconds < 0) return "";
  const auto whole = std::llround(std::max(1., seconds));
  return (whole < 10 ? std::to_string(whole) + "s" : human_duration(static_cast<double>(whole))) +
         " left";
}

std::string after(const std::string& word, const std::string& text) {
  return text.empty() ? "" : word + " " + text;
}

}  // namespace

/// What a line shows right after a window has ended are the numbers of that one.
void Loop::note_window() {
  const Window& window = progress_.window;
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
  std::string time = left_text(seconds_left());
  if (!instead_of_time_left.empty()) time = instead_of_time_left;
  const auto& bleu = validation_ ? validation_->scores.bleu : std::nullopt;
  char rate[32] = "";
  if (progress_.window.rate > 0)
    std::snprintf(rate, sizeof rate, "rate %.1e", progress_.window.rate);
  std::vector<ProgressField> fields = {
      {with_commas(progress_.update) + "/" + with_commas(planned_), 5},
      {seen_loss_ ? "loss " + fixed(*seen_loss_, 3) : "starting", 1},
      {seen_speed_ ? human_count(*seen_speed_) + " tok/s" : "", 4},
      {std::move(time), 0},
      {after("valid", validation_ ? score_text(metric, validation_->value(metric)) : ""), 3},
      {bleu && metric != StopMetric::bleu ? "BLEU " + fixed(*bleu, 2) : "", 6},
      {progress_.best.empty() ? "" : "best " + score_text(metric, progress_.best.front().score), 2},
      {rate, 7}};
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
    out.bleu_of_best = progress_.best.front().bleu;
  }
  out.minutes = progress_.seconds / 60;
  if (progress_.update_seconds > 0)
    out.tokens_per_second = static_cast<double>(progress_.tokens) / progress_.update_seconds;
  return out;
}

}  // namespace heed::train
