#include "train/progress_display.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"

namespace heed::train {
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
  std::string short_one = fmt::format("{:.{}e}", rate, digits);
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

void ProgressDisplay::note(const Window& window) {
  if (window.rate > 0) rate_ = window.rate;
  if (window.tokens == 0 || window.seconds <= 0) return;
  loss_ = window.loss / static_cast<double>(window.tokens);
  speed_ = static_cast<double>(window.tokens) / window.seconds;
}

void ProgressDisplay::window(const Progress& progress, const LineContext&) {
  note(progress.window);
}

void ProgressDisplay::validation(const Validation& validation, const Progress&) {
  validation_ = validation;
}

void ProgressDisplay::show(const Progress& progress, const std::string& instead_of_time_left) {
  const auto now = std::chrono::steady_clock::now();
  if (instead_of_time_left.empty() && now - shown_ < std::chrono::milliseconds(500)) return;
  shown_ = now;
  note(progress.window);
  const StopMetric metric = config_.early_stopping.metric;
  const auto& bleu = validation_ ? validation_->scores.bleu : std::nullopt;
  std::vector<ProgressField> fields = {
      {with_commas(progress.update) + "/" + with_commas(limits_.updates()), 3},
      loss_field(loss_),
      rate_field(rate_),
      {speed_ ? human_count(*speed_) + " tok/s" : "", 2},
      time_field(limits_.seconds_left(progress), instead_of_time_left),
      valid_field(metric, validation_ ? validation_->value(metric) : std::nullopt),
      best_field(metric, progress.best),
      {bleu && metric != StopMetric::bleu ? "BLEU " + fixed(*bleu, 2) : "", 1}};
  log::progress([share = limits_.progress_share(progress), fields = std::move(fields)](
                    int columns) { return progress_line(share, fields, columns); });
}

}  // namespace heed::train
