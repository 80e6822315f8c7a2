#include "run/feed.h"

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "model/description/traits.h"
#include "run/learning.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "train/metrics_line.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using train::MetricsLine;

constexpr std::size_t kMostPoints = 1000;  // of a line of training

Json number(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Means of so many neighbours that few enough points are left.
std::vector<MetricsLine> thinned(const std::vector<MetricsLine>& events) {
  const std::size_t group = (events.size() + kMostPoints - 1) / kMostPoints;
  if (group <= 1) return events;
  std::vector<MetricsLine> out;
  for (std::size_t begin = 0; begin < events.size(); begin += group) {
    const std::size_t end = std::min(begin + group, events.size());
    MetricsLine mean = events[end - 1];
    for (const auto field : {&MetricsLine::loss, &MetricsLine::speed}) {
      double sum = 0;
      int64_t count = 0;
      for (std::size_t i = begin; i < end; ++i)
        if (events[i].*field) sum += *(events[i].*field), ++count;
      mean.*field = count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
    }
    out.push_back(std::move(mean));
  }
  return out;
}

struct Column {
  const char* name;
  std::optional<double> MetricsLine::*value;
};

/// A list of numbers for each column.
Json columns_of(const std::vector<MetricsLine>& events, std::initializer_list<Column> columns) {
  Json out;
  out["update"] = Json::array();
  for (const MetricsLine& event : events) out["update"].push_back(event.update);
  for (const Column& column : columns) {
    out[column.name] = Json::array();
    for (const MetricsLine& event : events) out[column.name].push_back(number(event.*column.value));
  }
  return out;
}

struct Events {
  std::vector<MetricsLine> train;
  std::vector<std::pair<std::string, std::vector<MetricsLine>>> valid;  // by set, "" first
};

Events read_events(const fs::path& run) {
  Events events;
  events.valid.emplace_back();
  for (MetricsLine& event : train::read_metrics((run / kMetricsFile).string())) {
    if (event.event == "rollback") continue;
    if (event.event == "train") {
      events.train.push_back(std::move(event));
      continue;
    }
    auto set =
        std::ranges::find_if(events.valid, [&](const auto& one) { return one.first == event.set; });
    if (set == events.valid.end())
      set = events.valid.emplace(set, event.set, decltype(set->second){});
    set->second.push_back(std::move(event));
  }
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

/// Null where epochs or minutes end the run, too: then nobody knows the number before.
Json planned_updates(const train::TrainConfig& config) {
  return config.epochs > 0 || config.max_minutes > 0 ? Json(nullptr) : Json(config.updates);
}

Json about(const std::string& run, const std::string& state, const Events& events) {
  const Config config = saved_config(run);
  Json out{{"state", state},
           {"model", model::describe_model(config.model)},
           {"metric", config::name_of(config.training.early_stopping.metric)},
           {"updates", planned_updates(config.training)}};
  int64_t update = 0;
  std::optional<double> seconds, left, done;
  std::optional<int64_t> epoch;
  for (const MetricsLine& event : events.train) {
    update = std::max(update, event.update);
    left = event.left;
    if (event.epoch) epoch = event.epoch;
    if (event.seconds) seconds = std::max(seconds.value_or(0), *event.seconds);
    if (event.seconds && left) done = *event.seconds / std::max(*event.seconds + *left, 1e-9);
  }
  Json best;
  for (const MetricsLine& event : events.valid.front().second) {
    update = std::max(update, event.update);
    if (event.seconds) seconds = std::max(seconds.value_or(0), *event.seconds);
    if (event.best)
      best = {{"update", event.update},
              {"loss", number(event.loss)},
              {"bleu", number(event.bleu)},
              {"chrf", number(event.chrf)},
              {"command", number(event.command)}};
  }
  out["update"] = update;
  out["epoch"] = epoch ? Json(*epoch) : Json(nullptr);
  out["seconds"] = number(seconds);
  out["left"] = state == "training" ? number(left) : Json(nullptr);
  out["done"] = number(done);
  out["best"] = best;
  out["test"] = Json::array();
  if (state == "finished")
    for (const std::string& score : Summary::read(file_in(run, kSummaryFile)).test_scores)
      out["test"].push_back(score);
  return out;
}

/// The samples of validations/UPDATE.txt.
Json samples_of(const std::string& text) {
  constexpr std::size_t kName = 11;  // columns of "source     "
  Json samples = Json::array(), sample = Json::object();
  for (const std::string& line : split(text, '\n')) {
    const std::string name(trim(line.substr(0, std::min(kName, line.size()))));
    const std::string value = line.size() > kName ? line.substr(kName) : "";
    if (name.empty()) continue;
    if (name == "line") {
      if (!sample.empty()) samples.push_back(std::move(sample));
      sample = Json::object();
    }
    sample[name] = value;
  }
  if (!sample.empty()) samples.push_back(std::move(sample));
  return samples;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

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
                                                    {"loss", &MetricsLine::loss},
                                                    {"speed", &MetricsLine::speed},
                                                    {"rate", &MetricsLine::rate}});
  out["valid"] = Json::object();
  for (const auto& [set, lines] : events.valid)
    out["valid"][set] = columns_of(lines, {{"seconds", &MetricsLine::seconds},
                                           {"loss", &MetricsLine::loss},
                                           {"bleu", &MetricsLine::bleu},
                                           {"chrf", &MetricsLine::chrf},
                                           {"command", &MetricsLine::command}});
  out["validations"] = validations_of(run, events.valid.front().second);
  now.json = dumped(out);
  before = std::move(now);
  return before.json;
}

std::string Feed::snapshot() {
  std::string runs;
  Json damaged = Json::array();
  read_runs(
      places_,
      [&](const std::string& run) {
        const std::string json = run_json(run);
        runs += (runs.empty() ? "" : ",") + json;
      },
      [&](const std::string& message) { damaged.push_back(message); });
  return "{\"runs\":[" + runs + "],\"damaged\":" + dumped(damaged) + "}";
}

std::optional<std::string> Feed::validation(const std::string& id, int64_t update) const {
  if (std::ranges::count(find_runs(places_), id) == 0) return std::nullopt;
  const fs::path left = fs::path(id) / kValidations / std::to_string(update);
  std::error_code none;
  if (!fs::exists(left.string() + ".txt", none)) return std::nullopt;
  Json out{{"update", update}, {"samples", samples_of(read_regular_file(left.string() + ".txt"))}};
  const std::string attention = left.string() + ".attention.json";
  out["attention"] = nullptr;
  if (fs::exists(attention, none)) {
    // One that a run is about to write is not there yet, for it is renamed when it is whole.
    Json weights = Json::parse(read_regular_file(attention), nullptr, /*allow_exceptions=*/false);
    if (weights.is_object()) out["attention"] = std::move(weights);
  }
  return dumped(out);
}

}  // namespace heed::run
