// heed runs [FOLDER...]: a table of the runs below, or how they learned, as text, pictures and CSV.
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/shell_names.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/schema.h"
#include "draw/plot.h"
#include "run/config.h"
#include "run/learning.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "score/metrics.h"
#include "text/table.h"
#include "train/config.h"
#include "train/metrics_line.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

using score::Metric;
using train::MetricsLine;

struct RunsArgs {
  std::vector<std::string> folders = {"runs"};
  bool json = false, curves = false;
  std::string against = "updates", output;
};

struct ListedRun {
  std::string path, state;
  run::Config config;
  train::RunMetrics metrics;
  std::string test;     // its first score
  std::string differs;  // from the first run of the same folder
};

ListedRun read_run(const fs::path& folder) {
  ListedRun run{.path = folder.string(), .state = run::state_of_run(folder.string())};
  run.config = run::saved_config(run.path);
  run.metrics = train::summarize(train::read_metrics((folder / kMetricsFile).string()));
  if (run.state == "finished") {
    const run::Summary summary = run::Summary::read((folder / kSummaryFile).string());
    if (!summary.test_scores.empty())  // "BLEU 41.05", without the brackets after it
      run.test = trim(split(summary.test_scores.front(), '(').front());
  }
  return run;
}

/// The folder that a run lies in, however its path was written.
fs::path folder_around(const std::string& run) {
  const fs::path path = fs::absolute(run).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).parent_path();
}

/// Stores for each run the settings that differ from the first run of its folder, except for names
/// and paths.
void tell_differences(std::vector<ListedRun>& runs) {
  std::map<fs::path, const ListedRun*> firsts;  // by folder: between its runs there may be others
  for (ListedRun& run : runs) {
    const auto [first, is_new] = firsts.try_emplace(folder_around(run.path), &run);
    if (is_new) continue;
    auto all = config::differences(first->second->config, run.config);
    std::erase_if(all, [](const config::Difference& one) {
      return one.path == "name" || one.path == "output";
    });
    std::vector<std::string> parts;
    for (const config::Difference& one : all) parts.push_back(one.path + "=" + one.after);
    run.differs = join(parts, ", ");
  }
}

Metric metric_of(const ListedRun& run) {
  return run.config.training.early_stopping.metric;
}

std::string as_table(const std::vector<ListedRun>& runs) {
  text::Table table{
      {"run", "state", "updates", "minutes", "best", "loss", "BLEU", "test", "differs in"}, {}};
  for (const ListedRun& run : runs) {
    const auto& [updates, seconds, best] = run.metrics;
    table.rows.push_back({run.path, run.state, std::to_string(updates), fixed(seconds / 60, 1),
                          run::deciding_score(best, metric_of(run)),
                          fixed(best.values[Metric::loss], 4), fixed(best.values[Metric::bleu], 2),
                          run.test, run.differs});
  }
  return text::table_text(table, {0, 1, 4, 7, 8});
}

std::string as_json(const std::vector<ListedRun>& runs) {
  const auto value = [](std::optional<double> one) {
    return one ? nlohmann::ordered_json(*one) : nlohmann::ordered_json(nullptr);
  };
  std::vector<MetricsLine> best_lines;
  for (const ListedRun& run : runs) best_lines.push_back(run.metrics.best);
  const std::vector<Metric> listed = run::listed_metrics(best_lines);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ListedRun& run : runs) {
    const auto& [updates, seconds, best] = run.metrics;
    nlohmann::ordered_json row{{"run", run.path},
                               {"state", run.state},
                               {"updates", updates},
                               {"minutes", seconds / 60},
                               {"metric", config::name_of(metric_of(run))}};
    for (const Metric metric : listed)
      row["validation_" + config::name_of(metric)] = value(best.values[metric]);
    row["test"] = run.test;
    row["differs_in"] = run.differs;
    all.push_back(std::move(row));
  }
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

text::Table csv_of(const std::vector<run::Learning>& runs) {
  constexpr int kMore = 2;  // decimals than elsewhere
  std::vector<MetricsLine> all;
  for (const run::Learning& run : runs) all.insert(all.end(), run.events.begin(), run.events.end());
  const std::vector<Metric> listed = run::listed_metrics(all);
  text::Table table{{"run", "set", "update", "minutes"}, {}};
  for (const Metric metric : listed) {
    table.columns.push_back(config::name_of(metric));
    if (metric == Metric::loss) table.columns.emplace_back("perplexity");
  }
  for (const run::Learning& run : runs) {
    for (const MetricsLine& event : run.events) {
      std::vector<std::string> row{run.name, run::set_of(event), std::to_string(event.update),
                                   fixed(run::x_of(event, /*minutes=*/true), 3)};
      for (const Metric metric : listed) {
        row.push_back(fixed(event.values[metric], score::info_of(metric).decimals + kMore));
        if (metric == Metric::loss) row.push_back(fixed(event.perplexity, 4));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string file_of(Metric metric) {
  return config::name_of(metric) + ".svg";
}

std::vector<std::string> all_files() {
  std::vector<std::string> files{"curves.csv"};
  for (const Metric metric : run::metrics_to_draw()) files.push_back(file_of(metric));
  return files;
}

/// Returns each folder that has metrics, and where one has none the runs below it. A folder without
/// either is left for the message about it.
std::vector<std::string> runs_of_curves(const std::vector<std::string>& folders) {
  std::vector<std::string> runs;
  for (const std::string& folder : folders) {
    std::vector<std::string> found;
    if (!fs::exists(fs::path(folder) / kMetricsFile)) found = run::find_runs({folder});
    if (found.empty()) found = {folder};
    runs.insert(runs.end(), found.begin(), found.end());
  }
  return runs;
}

void curves(const RunsArgs& args) {
  const std::vector<std::string> folders = runs_of_curves(args.folders);
  const std::vector<std::string> names = distinct_names(folders);
  std::vector<run::Learning> runs;
  for (std::size_t i = 0; i < names.size(); ++i)
    runs.push_back(run::read_learning(folders[i], names[i]));
  const bool minutes = args.against == "minutes";
  std::optional<OutputFolder> out;
  if (!args.output.empty()) out.emplace(args.output, all_files());
  for (const Metric metric : run::metrics_to_draw()) {
    const draw::Plot picture = run::learning_curves(runs, metric, minutes);
    if (picture.lines.empty()) continue;
    std::cout << draw::plot_text(picture) << '\n';
    if (!out) continue;
    const std::string file = file_of(metric);
    write_atomic(out->path_of(file), draw::draw_plot(picture));
    log::info("picture: " + (fs::path(args.output) / file).string());
  }
  if (!out) return;
  write_atomic(out->path_of("curves.csv"), text::table_csv(csv_of(runs)));
  out->commit();
}

void runs(const RunsArgs& args) {
  for (const std::string& folder : args.folders)
    if (!fs::is_directory(folder))
      throw UserError("runs: {} '{}'; name the folder that your runs are in{}",
                      fs::exists(folder) ? "not a folder:" : "no folder", folder,
                      shell_hint(folder));
  if (args.curves) return curves(args);
  std::vector<ListedRun> all;
  run::read_runs(
      args.folders, [&](const std::string& run) { all.push_back(read_run(run)); },
      [](const std::string& message) { log::warn(message); });
  tell_differences(all);
  if (all.empty() && !args.json) log::info("no runs in " + join(args.folders, ", "));
  std::cout << (args.json ? as_json(all) : all.empty() ? "" : as_table(all));
}

}  // namespace

void add_runs(CommandLine& program) {
  auto [command, args] = program.command("runs", runs);
  command.option("folders", args->folders, "Folders to look in, and those inside them");
  command.group("Output");
  Argument json = command.flag("--json", args->json, "Print JSON instead of a table");
  command.group("Curves");
  const Argument curves = command.flag("--curves", args->curves,
                                       "Show loss and scores of the runs during training instead");
  command.option("--against", args->against, "Horizontal axis: updates or minutes")
      .one_of({"updates", "minutes"})
      .needs(curves);
  command
      .output_folder("-o,--output", args->output,
                     "Folder for the pictures, loss.svg and one for each score, and curves.csv")
      .needs(curves);
  json.excludes({curves});
  command.examples(
      {"heed runs runs/attentions runs/multi30k_quick --json",
       "heed runs --curves runs/demo/none runs/demo/bahdanau --against minutes -o out"});
}

}  // namespace heed
