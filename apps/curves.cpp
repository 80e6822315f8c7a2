// heed curves RUN...: how runs learned, as text, pictures and CSV.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/strings.h"
#include "draw/lines.h"
#include "run/learning.h"
#include "run/saved_config.h"
#include "text/table.h"
#include "train/metrics_line.h"

namespace heed {
namespace {

using train::MetricsLine;

struct CurvesArgs {
  std::vector<std::string> runs;
  std::string against = "updates", output;
};

text::Table csv_of(const std::vector<run::Learning>& runs) {
  text::Table table{
      {"run", "set", "update", "minutes", "loss", "perplexity", "bleu", "chrf", "command"}, {}};
  for (const run::Learning& run : runs) {
    for (const MetricsLine& event : run.events) {
      const auto minutes = run::place_of(event, /*minutes=*/true);
      table.rows.push_back({run.name, run::set_of(event), std::to_string(event.update),
                            fixed(minutes, 3), fixed(event.loss, 6), fixed(event.perplexity, 4),
                            fixed(event.bleu, 4), fixed(event.chrf, 4), fixed(event.command, 6)});
    }
  }
  return table;
}

/// The smallest or largest value of the validations.
std::optional<double> extreme(const run::Learning& run, std::optional<double> MetricsLine::*measure,
                              bool largest) {
  std::optional<double> found;
  for (const MetricsLine& event : run.events) {
    const auto value = event.*measure;
    if (event.event != "validation" || !value) continue;
    if (!found || (largest ? *value > *found : *value < *found)) found = value;
  }
  return found;
}

/// The score that decided, of the run's best validation; "" without one, or without config.yaml.
std::string best_of(const std::string& folder, const MetricsLine& best) {
  const bool known = std::filesystem::exists(std::filesystem::path(folder) / "config.yaml");
  if (best.update == 0 || !known) return "";
  try {
    return run::deciding_score(best, run::saved_config(folder).training.early_stopping.metric);
  } catch (const UserError& error) {
    log::warn(error.what());  // the curves do not need it
    return "";
  }
}

text::Table summary_of(const std::vector<std::string>& folders,
                       const std::vector<run::Learning>& runs) {
  text::Table table{
      {"run", "updates", "minutes", "lowest loss", "highest BLEU", "best update", "best"}, {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const run::Learning& run = runs[i];
    const auto [updates, seconds, best] = train::summarize(run.events);
    table.rows.push_back({run.name, std::to_string(updates), fixed(seconds / 60, 1),
                          fixed(extreme(run, &MetricsLine::loss, false), 4),
                          fixed(extreme(run, &MetricsLine::bleu, true), 2),
                          best.update > 0 ? std::to_string(best.update) : "",
                          best_of(folders[i], best)});
  }
  return table;
}

std::string file_of(const run::Measure& measure) {
  return std::string(measure.name) + ".svg";
}

std::vector<std::string> all_files() {
  std::vector<std::string> files{"curves.csv"};
  for (const run::Measure& measure : run::measures()) files.push_back(file_of(measure));
  return files;
}

void curves(const CurvesArgs& args) {
  const std::vector<std::string> names = distinct_names(args.runs);
  std::vector<run::Learning> runs;
  for (std::size_t i = 0; i < names.size(); ++i)
    runs.push_back(run::read_learning(args.runs[i], names[i]));
  const bool minutes = args.against == "minutes";
  std::optional<OutputFolder> out;
  if (!args.output.empty()) out.emplace(args.output, all_files());
  for (const run::Measure& measure : run::measures()) {
    const draw::Lines picture = run::learning_curves(runs, measure, minutes);
    if (picture.lines.empty()) continue;
    std::cout << draw::lines_text(picture) << '\n';
    if (!out) continue;
    const std::string file = file_of(measure);
    write_atomic(out->place_of(file), draw::draw_lines(picture));
    log::info("picture: " + (std::filesystem::path(args.output) / file).string());
  }
  std::cout << text::table_text(summary_of(args.runs, runs), {0, 6});
  if (!out) return;
  write_atomic(out->place_of("curves.csv"), text::table_csv(csv_of(runs)));
  out->commit();
}

}  // namespace

void add_curves(CommandLine& program) {
  auto args = std::make_shared<CurvesArgs>();
  CommandLine command = program.command("curves", "Show loss and BLEU of runs during training");
  command.option("runs", args->runs, "Folders that `heed train` wrote; a run may still be training")
      .required();
  command.group("Output");
  command.option("--against", args->against, "Horizontal axis: updates or minutes")
      .one_of({"updates", "minutes"})
      .shows_default();
  command.option("-o,--output", args->output,
                 "Folder for the pictures, loss.svg and one for each score, and curves.csv");
  command.examples({"heed curves runs/multi30k_quick",
                    "heed curves runs/demo/none runs/demo/bahdanau --against minutes -o curves"});
  command.run([args] { curves(*args); });
}

}  // namespace heed
