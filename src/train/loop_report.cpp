// What the loop says on its way.
#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
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
  const LineContext context{
      .left = seconds_left(), .last = last, .guided = config_.guided_alignment > 0};
  log::info(line_text(progress_, context));
  metrics_.train(progress_, context);
  if (!last) progress_.window = {};
}

void Loop::show_progress() {
  const auto now = Clock::now();
  if (now - shown_ < std::chrono::milliseconds(500)) return;
  shown_ = now;
  const Window& window = progress_.window;
  const double speed = window.seconds > 0 ? static_cast<double>(window.tokens) / window.seconds : 0;
  log::progress("update " + with_commas(progress_.update) + " of " + with_commas(planned_) +
                ", epoch " + std::to_string(progress_.epoch + 1) + ", " + human_count(speed) +
                " tok/s, " + human_duration(seconds_left()) + " left");
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
