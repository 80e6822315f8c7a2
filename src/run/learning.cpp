#include "run/learning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <set>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/schema.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/saved_config.h"
#include "run/summary.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using score::Metric;
using train::MetricsLine;

constexpr int kDeepest = 4;

bool is_run(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / kConfigFile, none) && fs::exists(folder / kMetricsFile, none);
}

void find_below(const fs::path& folder, int depth, std::vector<std::string>& out) {
  if (is_run(folder)) {
    out.push_back(folder.string());
    return;  // what lies in a run is its own
  }
  if (depth == kDeepest) return;
  std::vector<fs::path> below;
  std::error_code gone, none;
  for (fs::directory_iterator entry(folder, gone), end; !gone && entry != end;
       entry.increment(gone))
    if (entry->is_directory(none)) below.push_back(entry->path());
  std::ranges::sort(below);
  for (const fs::path& path : below) find_below(path, depth + 1, out);
}

/// The lines of one run: training first, then its validation sets.
std::vector<draw::PlotLine> lines_of(const Learning& run, Metric metric, std::size_t color,
                                     bool minutes) {
  std::vector<draw::PlotLine> lines;
  std::map<std::string, std::size_t> of_set;
  for (const MetricsLine& event : run.events) {
    const auto& value = event.values[metric];
    const auto x = x_of(event, minutes);
    if (!value || !x) continue;
    const std::string set = set_of(event);
    const auto [found, is_new] = of_set.try_emplace(set, lines.size());
    if (is_new) {
      const bool dashed = metric == Metric::loss && set != "train";
      lines.push_back({.name = set == "valid" && !dashed ? run.name : run.name + ", " + set,
                       .points = {},
                       .color = color,
                       .dashed = dashed});
    }
    lines[found->second].points.push_back({*x, *value});
  }
  return lines;
}

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 1000;  // of a line of training

Json number(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

/// Reads a number of a line.
using NumberOf = std::function<std::optional<double>(const MetricsLine&)>;

NumberOf number_of(Metric metric) {
  return [metric](const MetricsLine& line) { return line.values[metric]; };
}

/// Returns the mean over the lines that have the number.
std::optional<double> mean_of(std::span<const MetricsLine> lines, const NumberOf& number_in) {
  double sum = 0;
  int64_t count = 0;
  for (const MetricsLine& line : lines)
    if (const auto value = number_in(line)) sum += *value, ++count;
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

/// Means of so many neighbours that few enough points are left.
std::vector<MetricsLine> thinned(const std::vector<MetricsLine>& events) {
  const std::size_t group = (events.size() + kMostPoints - 1) / kMostPoints;
  if (group <= 1) return events;
  std::vector<MetricsLine> out;
  for (std::size_t begin = 0; begin < events.size(); begin += group) {
    const std::size_t end = std::min(begin + group, events.size());
    const std::span neighbours = std::span(events).subspan(begin, end - begin);
    MetricsLine mean = neighbours.back();
    mean.values[Metric::loss] = mean_of(neighbours, number_of(Metric::loss));
    mean.speed = mean_of(neighbours, &MetricsLine::speed);
    out.push_back(std::move(mean));
  }
  return out;
}

struct Column {
  const char* name;
  NumberOf value;
};

Column column_of(Metric metric) {
  return {score::info_of(metric).key, number_of(metric)};
}

/// A list of numbers for each column.
Json columns_of(const std::vector<MetricsLine>& events, const std::vector<Column>& columns) {
  Json out;
  out["update"] = Json::array();
  for (const MetricsLine& event : events) out["update"].push_back(event.update);
  for (const Column& column : columns) {
    out[column.name] = Json::array();
    for (const MetricsLine& event : events) out[column.name].push_back(number(column.value(event)));
  }
  return out;
}

/// Returns the columns of validations.
Json validation_columns(const std::vector<MetricsLine>& events) {
  std::vector<Column> columns{{"seconds", &MetricsLine::seconds}};
  for (const Metric metric : listed_metrics(events)) columns.push_back(column_of(metric));
  return columns_of(events, columns);
}

struct Events {
  train::RunMetrics whole;
  std::vector<MetricsLine> train;
  std::map<std::string, std::vector<MetricsLine>> valid;  // by set; data.valid is ""
};

Events read_events(const fs::path& run) {
  std::vector<MetricsLine> all = train::read_metrics((run / kMetricsFile).string());
  Events events{.whole = train::summarize(all)};
  events.valid[""];
  for (MetricsLine& event : all)
    if (event.event != "rollback")
      (event.event == "train" ? events.train : events.valid[event.set]).push_back(std::move(event));
  return events;
}

/// N of N.txt in validations/, the ones of data.valid, ascending. Without those that `lines` do not
/// have: a run that went back to an earlier checkpoint has left them.
std::vector<int64_t> validations_of(const fs::path& run, const std::vector<MetricsLine>& lines) {
  std::vector<int64_t> updates;
  for (const std::string& name : names_in((run / kValidations).string())) {
    int64_t update = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), update);
    if (error == std::errc() && std::string_view(rest) == ".txt" &&
        std::ranges::count(lines, update, &MetricsLine::update) > 0)
      updates.push_back(update);
  }
  std::ranges::sort(updates);
  return updates;
}

Json about(const std::string& run, const std::string& state, const Events& events) {
  const Config config = saved_config(run);
  // If epochs or minutes may end the run, too, its number of updates is not known before.
  const bool open_end = config.training.epochs > 0 || config.training.max_minutes > 0;
  std::optional<double> left, done;
  Json epoch;
  for (const MetricsLine& event : events.train) {
    left = event.left;
    if (event.epoch) epoch = *event.epoch;
    if (event.seconds && left) done = *event.seconds / std::max(*event.seconds + *left, 1e-9);
  }
  const auto& [update, seconds, validation] = events.whole;
  Json best, test = Json::array();
  if (validation.update > 0) {
    best["update"] = validation.update;
    for (const Metric metric : listed_metrics({&validation, 1}))
      best[score::info_of(metric).key] = number(validation.values[metric]);
  }
  if (state == "finished") test = Summary::read(file_in(run, kSummaryFile)).test_scores;
  return {{"state", state},
          {"model", model::describe_model(config.model)},
          {"metric", config::name_of(config.training.early_stopping.metric)},
          {"updates", open_end ? Json() : Json(config.training.updates)},
          {"update", update},
          {"epoch", epoch},
          {"seconds", seconds > 0 ? Json(seconds) : Json()},
          {"left", state == "training" ? number(left) : Json()},
          {"done", number(done)},
          {"best", best},
          {"test", test}};
}

/// The samples of validations/UPDATE.txt.
Json samples_of(const std::string& text) {
  constexpr std::size_t kName = 11;  // columns of "source     "
  Json samples = Json::array();
  for (const std::string& line : split(text, '\n')) {
    const std::string name(trim(line.substr(0, std::min(kName, line.size()))));
    if (name == "line") samples.push_back(Json::object());  // each begins with its number
    if (name.empty() || samples.empty()) continue;
    samples.back()[name] = line.size() > kName ? line.substr(kName) : "";
  }
  return samples;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<std::string> find_runs(const std::vector<std::string>& folders) {
  std::vector<std::string> runs;
  for (const std::string& folder : folders) find_below(folder, 0, runs);
  std::set<fs::path> seen;
  std::erase_if(runs, [&](const std::string& run) {
    std::error_code gone;
    const fs::path real = fs::canonical(run, gone);
    return !seen.insert(gone ? fs::path(run) : real).second;
  });
  return runs;
}

void read_runs(const std::vector<std::string>& folders,
               const std::function<void(const std::string& run)>& read,
               const std::function<void(const std::string& message)>& damaged) {
  for (const std::string& run : find_runs(folders)) {
    try {
      read(run);
    } catch (const FormattedError& error) {
      damaged(error.what());
    } catch (const fs::filesystem_error& error) {
      damaged(run + ": " + error.code().message());
    }
  }
}

std::string state_of_run(const std::string& run) {
  if (is_held(run)) return "training";
  std::error_code none;
  return fs::exists(fs::path(run) / kSummaryFile, none) ? "finished" : "stopped";
}

std::vector<Metric> metrics_to_draw() {
  std::vector<Metric> all;
  for (const score::MetricInfo& each : score::kMetrics)
    if (each.metric != Metric::loss) all.push_back(each.metric);
  all.insert(all.begin() + 1, Metric::loss);
  return all;
}

std::vector<Metric> listed_metrics(std::span<const MetricsLine> lines) {
  std::vector<Metric> listed;
  for (const score::MetricInfo& each : score::kMetrics) {
    const auto is_known = [&](const MetricsLine& line) {
      return line.values[each.metric].has_value();
    };
    if (each.listed != score::MetricListing::where_known || std::ranges::any_of(lines, is_known))
      listed.push_back(each.metric);
  }
  return listed;
}

std::string deciding_score(const MetricsLine& validation, Metric metric) {
  const auto& value = validation.values[metric];
  const score::MetricInfo& what = score::info_of(metric);
  return value ? fmt::format("{} {}", what.label, fixed(*value, what.decimals)) : "";
}

std::string set_of(const MetricsLine& event) {
  if (event.event == "train") return "train";
  return event.set.empty() ? "valid" : event.set;
}

Learning read_learning(const std::string& folder, const std::string& name) {
  const std::string path = file_in(folder, kMetricsFile);
  require_file(path, "metrics of a run");
  Learning learning{.name = name, .events = train::read_metrics(path)};
  std::erase_if(learning.events,
                [](const MetricsLine& event) { return event.event == "rollback"; });
  if (learning.events.empty()) throw UserError(path + ": the run has not measured anything yet");
  return learning;
}

std::optional<double> x_of(const MetricsLine& event, bool minutes) {
  if (!minutes) return static_cast<double>(event.update);
  if (!event.seconds) return std::nullopt;
  return *event.seconds / 60;
}

draw::Plot learning_curves(const std::vector<Learning>& runs, Metric metric, bool minutes) {
  draw::Plot picture{.title = runs.size() == 1 ? runs.front().name : "Learning curves",
                     .x_label = minutes ? "minutes" : "updates",
                     .y_label = score::info_of(metric).axis,
                     .lines = {}};
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (draw::PlotLine& line : lines_of(runs[i], metric, i, minutes))
      picture.lines.push_back(std::move(line));
  return picture;
}

std::string Feed::run_json(const std::string& run) {
  const fs::path folder = run, metrics = folder / kMetricsFile;
  require_regular(metrics.string());  // before its size is asked for
  std::error_code none;               // a run that is not finished has no summary
  Known now{.files = {.metrics = fs::last_write_time(metrics),
                      .summary = fs::last_write_time(folder / kSummaryFile, none),
                      .config = fs::last_write_time(folder / kConfigFile),
                      .bytes = fs::file_size(metrics),
                      .state = state_of_run(run)},
            .json = ""};
  Known& before = known_[run];
  if (!before.json.empty() && before.files == now.files) return before.json;
  const Events events = read_events(run);
  Json out{{"id", run}};
  out.update(about(run, now.files.state, events));
  out["train"] = columns_of(thinned(events.train), {{"seconds", &MetricsLine::seconds},
                                                    column_of(Metric::loss),
                                                    {"speed", &MetricsLine::speed},
                                                    {"rate", &MetricsLine::rate}});
  out["valid"] = Json::object();
  for (const auto& [set, lines] : events.valid) out["valid"][set] = validation_columns(lines);
  out["validations"] = validations_of(run, events.valid.at(""));
  now.json = dumped(out);
  before = std::move(now);
  return before.json;
}

std::string Feed::snapshot() {
  std::string runs;
  Json damaged = Json::array();
  read_runs(
      folders_,
      [&](const std::string& run) {
        const std::string json = run_json(run);
        runs += (runs.empty() ? "" : ",") + json;
      },
      [&](const std::string& message) { damaged.push_back(message); });
  return "{\"runs\":[" + runs + "],\"damaged\":" + dumped(damaged) + "}";
}

std::optional<std::string> Feed::validation(const std::string& id, int64_t update) const {
  if (std::ranges::count(find_runs(folders_), id) == 0) return std::nullopt;
  const fs::path left = fs::path(id) / kValidations / std::to_string(update);
  std::error_code none;
  if (!fs::exists(left.string() + ".txt", none)) return std::nullopt;
  Json out{{"update", update}, {"samples", samples_of(read_regular_file(left.string() + ".txt"))}};
  const std::string attention = left.string() + ".attention.json";
  out["attention"] = nullptr;
  if (fs::exists(attention, none)) {
    // One that a run is about to write is not there yet, for it is renamed when it is whole.
    Json weights = json_or_discarded<Json>(read_regular_file(attention));
    if (weights.is_object()) out["attention"] = std::move(weights);
  }
  return dumped(out);
}

}  // namespace heed::run
