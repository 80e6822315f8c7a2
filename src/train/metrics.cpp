#include "score/metrics.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/batch.h"
#include "data/origin.h"
#include "train/config.h"
#include "train/metrics.h"
#include "train/metrics_line.h"

namespace heed::train {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();  // null in JSON

double ratio(double a, double b, double of_none = 0) {
  return b > 0 ? a / b : of_none;
}

/// The averages of an interval. Where every update was skipped there is no loss.
struct Averages {
  explicit Averages(const LogInterval& interval)
      : loss(ratio(interval.loss, static_cast<double>(interval.tokens), kNothing)),
        perplexity(std::exp(ratio(interval.nll, static_cast<double>(interval.tokens), kNothing))),
        speed(ratio(static_cast<double>(interval.tokens), interval.seconds)),
        padding(1 -
                ratio(static_cast<double>(interval.real), static_cast<double>(interval.padded))),
        waiting(ratio(interval.waited, interval.seconds)) {}
  double loss, perplexity, speed, padding, waiting;
};

double mean_of(const AuxiliaryLoss& term, const LogInterval& interval) {
  const auto found = interval.terms.find(term.name);
  return ratio(found == interval.terms.end() ? 0 : found->second,
               static_cast<double>(interval.tokens), kNothing);
}

/// "-" where there is no number.
std::string format(fmt::format_string<double&> pattern, double value) {
  return std::isfinite(value) ? fmt::format(pattern, value) : "-";
}

std::string percent(double share) {
  return format("{:.1f}%", 100 * share);
}

/// Whether a key of a line is a measurement: neither the kind of the event nor its time.
bool is_measure(const std::string& key) {
  return key != "event" && key != "update" && key != "epoch" && key != "seconds" && key != "set" &&
         key != "last" && key != "left" && key != "best" && key != "stale";
}

/// Width and height of a PNG file, which stand in its first chunk.
std::pair<int64_t, int64_t> size_of(const std::string& png) {
  const auto number = [&](std::size_t at) {
    int64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(png[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

/// Adds the scores that were computed and that the line does not have yet.
void add_scores(const score::MetricValues& values, OrderedJson& line) {
  for (const score::MetricInfo& each : score::kMetrics)
    if (const auto& value = values[each.metric]; value && !line.contains(each.key))
      line[each.key] = *value;
}

/// "BLEU 30.12"; of a command, whose numbers have any scale, four significant digits.
std::string score_text(const score::MetricInfo& metric, double value) {
  const bool any_scale = metric.source == score::MetricSource::command;
  return fmt::format("{} {}", metric.label,
                     any_scale ? format("{:.4g}", value) : fixed(value, metric.decimals));
}

}  // namespace

std::string origins_text(const std::vector<data::Origin>& origins, std::size_t corpora) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < origins.size() && i < kMost; ++i) {
    if (i > 0) text += ", ";
    if (corpora > 1) text += fmt::format("data.train.{}:", origins[i].corpus);
    text += std::to_string(origins[i].line);
  }
  if (origins.size() > kMost) text += fmt::format(" and {} more", origins.size() - kMost);
  return text;
}

std::string line_text(const Progress& progress, const LineContext& context) {
  const Averages mean(progress.interval);
  std::string text = fmt::format("update {} epoch {} loss {} ppl {}", with_commas(progress.update),
                                 progress.epoch + 1, format("{:.3f}", mean.loss),
                                 format("{:.2f}", mean.perplexity));
  for (const AuxiliaryLoss& term : context.terms)
    text += " " + term.name + " " + format("{:.3f}", mean_of(term, progress.interval));
  text += fmt::format(" rate {} norm {} tok/s {} padding {} waiting {}",
                      format("{:.2e}", progress.interval.rate),
                      format("{:.2f}", progress.interval.norm), human_count(mean.speed),
                      percent(mean.padding), percent(mean.waiting));
  if (progress.interval.skipped > 0)
    text += " skipped " + std::to_string(progress.interval.skipped);
  if (context.left >= 0) text += " left " + human_duration(context.left);
  return text;
}

std::string outcome_text(const std::string& set, const Validation& validation,
                         const Progress& progress) {
  std::string text = fmt::format("{} at update {} loss ", set, with_commas(progress.update));
  text += validation.finite()
              ? fixed(validation.loss, 4) + " ppl " + format("{:.2f}", validation.perplexity())
              : "not finite";
  for (const score::MetricInfo& each : score::kMetrics)
    if (const auto& value = validation.scores.values[each.metric])
      text += " " + score_text(each, *value);
  return text;
}

std::string validation_text(const Validation& validation, const Progress& progress,
                            const TrainConfig& config) {
  std::string text = outcome_text("validation", validation, progress) + " in " +
                     human_duration(validation.seconds);
  if (progress.at_the_best()) return text + ", the best so far";
  if (progress.stale == 0) return text + ", not the best";  // at the end of the training
  text += ", " + std::to_string(progress.stale);
  if (config.early_stopping.patience > 0)
    text += " of " + std::to_string(config.early_stopping.patience);
  return text + " without improvement";
}

void TrainingLog::interval(const Progress& progress, const LineContext& context) {
  log::info(line_text(progress, context));
}

void TrainingLog::validation(const Validation& validation, const Progress& progress) {
  log::info(validation_text(validation, progress, config_));
  if (!validation.finite())
    log::warn(
        "the validation loss at update {} is not finite: these weights are never the best ones, "
        "and what follows may be as bad; lower training.learning_rate in a new run (--overwrite)",
        with_commas(progress.update));
}

void TrainingLog::further_validation(const std::string& set, const Validation& validation,
                                     const Progress& progress) {
  log::info(outcome_text(set, validation, progress));
}

Metrics::Metrics(const std::string& folder, bool tensorboard)
    : folder_(folder),
      path_(folder.empty() ? "" : file_in(folder, kMetricsFile)),
      tensorboard_(tensorboard && !folder.empty()) {}

Metrics::~Metrics() = default;

void Metrics::begins(const Progress& progress) {
  if (path_.empty()) return;
  std::string kept;
  if (progress.update > 0 && std::filesystem::exists(path_)) {
    for (const std::string& line : split(read_file(path_), '\n')) {
      const auto event = parse_metrics(line);
      if (!event || event->last) continue;
      // A checkpoint is written before the validation of its update, too.
      const bool of_validation = event->event.ends_with("validation");
      const int64_t end = of_validation ? progress.validated : progress.update;
      if (event->update <= end) kept += line + "\n";
    }
  }
  write_atomic(path_, kept);
  if (!tensorboard_) return;
  // A reader knows no way back: the whole run is told anew.
  events_.reset();
  remove_event_files(folder_);
  events_ = std::make_unique<EventFile>(folder_);
  begin_ =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count() -
      progress.seconds;
  for (const std::string& line : split(kept, '\n')) tell(line);
}

/// The numbers of a line of metrics, and what a validation has left.
void Metrics::tell(const std::string& line) {
  const auto object = json_or_discarded(line);
  if (!events_ || !object.is_object() || !parse_metrics(line)) return;
  const std::string event = object["event"];
  const int64_t update = object["update"];
  const double seconds = begin_ + object.value("seconds", 0.0);
  const std::string set = event == "train"        ? "train"
                          : event == "validation" ? "valid"
                                                  : object.value("set", event);
  for (const auto& [key, value] : object.items())
    if (is_measure(key) && value.is_number())
      events_->scalar(set + "/" + key, value.get<double>(), update, seconds);
  if (event != "validation") return;
  const std::string left = fmt::format("{}/validations/{}", folder_, update);
  if (std::filesystem::exists(left + ".txt"))
    events_->text("valid/samples", "```\n" + read_file(left + ".txt") + "```", update, seconds);
  if (!std::filesystem::exists(left + ".png")) return;
  const std::string png = read_file(left + ".png");
  const auto [width, height] = size_of(png);
  events_->picture("valid/attention", png, width, height, update, seconds);
}

void Metrics::append(const std::string& line) {
  if (path_.empty()) return;
  std::ofstream file(path_, std::ios::app | std::ios::binary);
  file << line << '\n';
  file.flush();
  if (!file) throw Failure(path_ + ": cannot write the metrics (is the disk full?)");
  tell(line);
}

void Metrics::interval(const Progress& progress, const LineContext& context) {
  const Averages mean(progress.interval);
  OrderedJson line{{"event", "train"},
                   {"update", progress.update},
                   {"epoch", progress.epoch + 1},
                   {"loss", mean.loss},
                   {"perplexity", mean.perplexity},
                   {"learning_rate", progress.interval.rate},
                   {"gradient_norm", progress.interval.norm},
                   {"tokens", progress.interval.tokens},
                   {"tokens_per_second", mean.speed},
                   {"padding", mean.padding},
                   {"waiting", mean.waiting},
                   {"skipped", progress.interval.skipped},
                   {"seconds", progress.seconds}};
  if (context.left >= 0) line["left"] = context.left;
  for (const AuxiliaryLoss& term : context.terms)
    line[term.name] = mean_of(term, progress.interval);
  if (context.last) line["last"] = true;
  append(line.dump());
}

void Metrics::validation(const Validation& validation, const Progress& progress) {
  OrderedJson line{{"event", "validation"},
                   {"update", progress.update},
                   {"epoch", progress.epoch + 1},
                   {"loss", validation.loss},
                   {"perplexity", validation.perplexity()}};
  for (const score::MetricInfo& each : score::kMetrics)
    if (each.listed == score::MetricListing::everywhere && each.metric != Metric::loss) {
      const auto value = validation.value(each.metric);
      line[each.key] = value ? OrderedJson(*value) : OrderedJson(nullptr);
    }
  line["best"] = progress.at_the_best();
  line["stale"] = progress.stale;
  line["seconds"] = progress.seconds;
  add_scores(validation.scores.values, line);
  append(line.dump());
}

void Metrics::further_validation(const std::string& set, const Validation& validation,
                                 const Progress& progress) {
  OrderedJson line{{"event", "further_validation"},
                   {"update", progress.update},
                   {"set", set},
                   {"loss", validation.loss},
                   {"perplexity", validation.perplexity()},
                   {"seconds", progress.seconds}};
  add_scores(validation.scores.values, line);
  append(line.dump());
}

void Metrics::rollback(const Progress& progress) {
  append(OrderedJson{{"event", "rollback"},
                     {"update", progress.update},
                     {"rate_factor", progress.rate_factor},
                     {"seconds", progress.seconds}}
             .dump());
}

namespace {

/// "30.12", of what decides.
std::string brief_text(Metric metric, double value) {
  return fixed(value, score::info_of(metric).brief);
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

ProgressField valid_field(Metric metric, const std::optional<double>& value) {
  if (!value) return {};
  const std::string name =
      metric == Metric::loss ? "" : std::string(score::info_of(metric).label) + " ";
  return {"valid " + name + brief_text(metric, *value), 0, "valid " + human_count(*value),
          "val " + human_count(*value)};
}

ProgressField best_field(Metric metric, const std::vector<Best>& best) {
  if (best.empty()) return {};
  return {"best " + brief_text(metric, best.front().score), 0,
          "best " + human_count(best.front().score)};
}

}  // namespace

void ProgressDisplay::note(const LogInterval& interval) {
  if (interval.rate > 0) rate_ = interval.rate;
  if (interval.tokens == 0 || interval.seconds <= 0) return;
  loss_ = interval.loss / static_cast<double>(interval.tokens);
  speed_ = static_cast<double>(interval.tokens) / interval.seconds;
}

void ProgressDisplay::interval(const Progress& progress, const LineContext&) {
  note(progress.interval);
}

void ProgressDisplay::validation(const Validation& validation, const Progress&) {
  validation_ = validation;
}

void ProgressDisplay::show(const Progress& progress, const std::string& instead_of_time_left) {
  const auto now = std::chrono::steady_clock::now();
  if (instead_of_time_left.empty() && now - shown_ < std::chrono::milliseconds(500)) return;
  shown_ = now;
  note(progress.interval);
  const Metric metric = config_.early_stopping.metric;
  const auto bleu = validation_ ? validation_->value(Metric::bleu) : std::nullopt;
  std::vector<ProgressField> fields = {
      {with_commas(progress.update) + "/" + with_commas(limits_.updates()), 3},
      loss_field(loss_),
      rate_field(rate_),
      {speed_ ? human_count(*speed_) + " tok/s" : "", 2},
      time_field(limits_.seconds_left(progress), instead_of_time_left),
      valid_field(metric, validation_ ? validation_->value(metric) : std::nullopt),
      best_field(metric, progress.best),
      {bleu && metric != Metric::bleu ? "BLEU " + fixed(*bleu, 2) : "", 1}};
  log::progress([share = limits_.progress_share(progress), fields = std::move(fields)](
                    int columns) { return progress_line(share, fields, columns); });
}

}  // namespace heed::train
