// heed runs [FOLDER...]: a table of the runs below.
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/differences.h"
#include "run/found_runs.h"
#include "run/learning.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "text/table.h"
#include "train/metrics_line.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct RunsArgs {
  std::vector<std::string> folders = {"runs"};
  bool json = false;
};

struct Run {
  std::string path, state;
  run::Config config;
  train::RunMetrics metrics;
  std::string test;     // its first score
  std::string differs;  // from the first run of the same folder
};

/// "BLEU 41.05", without what stands in brackets behind it.
std::string short_score(const std::string& score) {
  return std::string(trim(score.substr(0, score.find('('))));
}

Run read_run(const fs::path& folder) {
  Run run{.path = folder.string(), .state = run::state_of_run(folder.string())};
  run.config = run::saved_config(run.path);
  run.metrics = train::summarize(train::read_metrics((folder / "metrics.jsonl").string()));
  if (run.state == "finished") {
    const run::Summary summary = run::Summary::read((folder / "summary.json").string());
    if (!summary.test_scores.empty()) run.test = short_score(summary.test_scores.front());
  }
  return run;
}

/// The folder that a run lies in, however its path was written.
fs::path folder_around(const std::string& run) {
  const fs::path path = fs::absolute(run).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).parent_path();
}

/// What is not the same as in the first run of the folder, but for names and places.
void tell_differences(std::vector<Run>& runs) {
  std::map<fs::path, const Run*> firsts;  // by folder: between its runs there may be others
  for (Run& run : runs) {
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

train::StopMetric metric_of(const Run& run) {
  return run.config.training.early_stopping.metric;
}

std::string as_table(const std::vector<Run>& runs) {
  text::Table table{
      {"run", "state", "updates", "minutes", "best", "loss", "BLEU", "test", "differs in"}, {}};
  for (const Run& run : runs) {
    const auto& [updates, seconds, best] = run.metrics;
    table.rows.push_back({run.path, run.state, std::to_string(updates), fixed(seconds / 60, 1),
                          run::deciding_score(best, metric_of(run)), fixed(best.loss, 4),
                          fixed(best.bleu, 2), run.test, run.differs});
  }
  return text::table_text(table, {0, 1, 4, 7, 8});
}

std::string as_json(const std::vector<Run>& runs) {
  const auto value = [](std::optional<double> one) {
    return one ? nlohmann::ordered_json(*one) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Run& run : runs) {
    const auto& [updates, seconds, best] = run.metrics;
    all.push_back({{"run", run.path},
                   {"state", run.state},
                   {"updates", updates},
                   {"minutes", seconds / 60},
                   {"metric", config::name_of(metric_of(run))},
                   {"validation_loss", value(best.loss)},
                   {"validation_bleu", value(best.bleu)},
                   {"validation_chrf", value(best.chrf)},
                   {"validation_command", value(best.command)},
                   {"test", run.test},
                   {"differs_in", run.differs}});
  }
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void runs(const RunsArgs& args) {
  for (const std::string& folder : args.folders)
    if (!fs::is_directory(folder))
      throw UserError("runs: no folder '" + folder + "'; name the one that your runs are in");
  std::vector<Run> all;
  run::read_runs(
      args.folders, [&](const std::string& run) { all.push_back(read_run(run)); }, log::warn);
  tell_differences(all);
  if (all.empty() && !args.json) log::info("no runs in " + join(args.folders, ", "));
  std::cout << (args.json ? as_json(all) : all.empty() ? "" : as_table(all));
}

}  // namespace

void add_runs(CommandLine& program) {
  auto args = std::make_shared<RunsArgs>();
  CommandLine command = program.command(
      "runs", "List runs in a folder: state, updates, best validation, test score, differences");
  command.option("folders", args->folders, "Folders to look in, and those inside them")
      .shows_default("runs");
  command.group("Output");
  command.flag("--json", args->json, "Print JSON instead of a table");
  command.examples({"heed runs", "heed runs runs/attentions runs/multi30k_quick --json"});
  command.run([args] { runs(*args); });
}

}  // namespace heed
