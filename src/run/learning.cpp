#include "run/learning.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/lock.h"
#include "base/run_folder.h"
#include "base/strings.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::vector<std::string> find_runs(const std::vector<std::string>& places) {
  std::vector<std::string> runs;
  for (const std::string& place : places) find_below(place, 0, runs);
  std::set<fs::path> seen;
  std::erase_if(runs, [&](const std::string& run) {
    std::error_code gone;
    const fs::path real = fs::canonical(run, gone);
    return !seen.insert(gone ? fs::path(run) : real).second;
  });
  return runs;
}

void read_runs(const std::vector<std::string>& places,
               const std::function<void(const std::string& run)>& read,
               const std::function<void(const std::string& message)>& damaged) {
  for (const std::string& run : find_runs(places)) {
    try {
      read(run);
    } catch (const UserError& error) {
      damaged(error.what());
    } catch (const Failure& error) {
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

using train::MetricsLine;

namespace {

constexpr std::array<Measure, 4> kMeasures = {{
    {"bleu", "BLEU", "BLEU", &MetricsLine::bleu},
    {"loss", "loss per piece", "loss", &MetricsLine::loss},
    {"chrf", "chrF", "chrF", &MetricsLine::chrf},
    {"command", "what the command says", "command", &MetricsLine::command},
}};

/// The lines of one run: training first, then its validation sets.
std::vector<draw::PlotLine> lines_of(const Learning& run, const Measure& measure, std::size_t color,
                                     bool minutes) {
  std::vector<draw::PlotLine> lines;
  std::map<std::string, std::size_t> of_set;
  for (const MetricsLine& event : run.events) {
    const auto value = event.*measure.value;
    const auto place = place_of(event, minutes);
    if (!value || !place) continue;
    const std::string set = set_of(event);
    const auto [found, is_new] = of_set.try_emplace(set, lines.size());
    if (is_new) {
      const bool dashed = measure.value == &MetricsLine::loss && set != "train";
      lines.push_back({.name = set == "valid" && !dashed ? run.name : run.name + ", " + set,
                       .points = {},
                       .color = color,
                       .dashed = dashed});
    }
    lines[found->second].points.push_back({*place, *value});
  }
  return lines;
}

}  // namespace

std::span<const Measure> measures() {
  return kMeasures;
}

const Measure& loss_measure() {
  return kMeasures[1];
}

std::string deciding_score(const MetricsLine& validation, train::StopMetric metric) {
  const std::string name = config::name_of(metric);
  const Measure& measure =
      *std::ranges::find_if(kMeasures, [&](const Measure& one) { return one.name == name; });
  const auto value = validation.*measure.value;
  if (!value) return "";
  const bool rounded = metric == train::StopMetric::bleu || metric == train::StopMetric::chrf;
  return std::string(measure.brief) + " " + fixed(*value, rounded ? 2 : 4);
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

std::optional<double> place_of(const MetricsLine& event, bool minutes) {
  if (!minutes) return static_cast<double>(event.update);
  if (!event.seconds) return std::nullopt;
  return *event.seconds / 60;
}

draw::Plot learning_curves(const std::vector<Learning>& runs, const Measure& measure,
                           bool minutes) {
  draw::Plot picture{.title = runs.size() == 1 ? runs.front().name : "Learning curves",
                     .x_label = minutes ? "minutes" : "updates",
                     .y_label = measure.label,
                     .lines = {}};
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (draw::PlotLine& line : lines_of(runs[i], measure, i, minutes))
      picture.lines.push_back(std::move(line));
  return picture;
}

}  // namespace heed::run
