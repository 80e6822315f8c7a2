// heed bottleneck CONFIG: trains the family on the same data and budget, and shows where a model
// without attention breaks.
#include <iostream>

#include "apps/bottleneck/family_report.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "data/hygiene.h"
#include "draw/plot.h"
#include "draw/report.h"
#include "model/model.h"
#include "run/check.h"
#include "run/family.h"
#include "run/held_out.h"
#include "run/model_folder.h"
#include "run/summary.h"
#include "score/lengths.h"
#include "score/sacrebleu.h"
#include "text/lines.h"
#include "text/table.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct BottleneckArgs {
  std::string config, baseline;
  std::vector<std::string> settings, systems;
  int64_t jobs = 0;
  bool overwrite = false;
};

/// One row per system, for systems.csv: what it costs, and what its attention is worth.
std::vector<std::string> row_of(const run::FamilyMember& member,
                                const score::SystemLengths& lengths,
                                const AttentionScores& scores) {
  const run::Summary summary = run::Summary::read(file_in(member.folder, kSummaryFile));
  const auto percent = [](const std::optional<double>& share) {
    return share ? fixed(100 * *share, 2) : "";
  };
  return {member.name,
          std::to_string(summary.parameters),
          std::to_string(summary.updates),
          fixed(summary.tokens_per_second, 0),
          fixed(lengths.all.bleu.score, 2),
          percent(scores.alignment_error),
          percent(scores.pronouns)};
}

/// What it takes to make the models again, as far as they have it in common.
std::vector<std::string> made_by(const std::vector<run::FamilyMember>& members) {
  std::vector<std::string> notes;
  for (const run::FamilyMember& member : members) {
    const std::string file = file_in(member.folder, kProvenanceFile);
    if (!fs::exists(file)) continue;  // trained by an older version
    const run::Provenance made = run::Provenance::read(file);
    notes.push_back(fmt::format("heed {} ({}), LibTorch {}, {}, {}, {}, threads: {}", made.heed,
                                made.commit, made.libtorch, made.processor, made.device,
                                made.precision, made.threads));
    for (const run::CorpusSum& sum : made.corpora)
      notes.push_back(fmt::format("{}: {} bytes, sha256 {}", sum.path, sum.bytes, sum.sha256));
  }
  return without_repeats(notes);
}

std::string command_line(const BottleneckArgs& args) {
  std::string command = "heed bottleneck " + shell_path(args.config);
  for (const std::string& setting : args.settings) command += " --set " + shell_word(setting);
  if (!args.systems.empty()) command += " --systems " + shell_word(join(args.systems, ","));
  if (!args.baseline.empty()) command += " --baseline " + shell_word(args.baseline);
  return command;
}

/// The one that is asked for, or the model without attention where there is one. Throws where the
/// one that is asked for is no member.
std::string baseline_of(const std::vector<run::FamilyMember>& members, const std::string& wanted) {
  std::vector<std::string> names;
  for (const run::FamilyMember& member : members) names.push_back(member.name);
  score::check_names(names, wanted);
  const bool has_none = std::find(names.begin(), names.end(), "none") != names.end();
  return wanted.empty() && has_none ? "none" : wanted;
}

/// Throws UserError where a file of somebody else has the name of one that is written beside the
/// runs. A folder with runs of the family is heed's.
void require_free_names(const std::string& folder, const std::vector<run::FamilyMember>& members) {
  const auto has_begun = [](const run::FamilyMember& member) { return fs::exists(member.folder); };
  if (std::ranges::none_of(members, has_begun))
    require_written_by_heed(folder, {"lengths.csv", "lengths.svg", "systems.csv", "report.html"});
}

void bottleneck(const BottleneckArgs& args) {
  const std::vector<run::FamilyMember> members =
      run::family(args.config, args.settings, args.systems);
  const run::Config config = run::load_config(args.config, args.settings);
  if (config.data.test.source.empty())
    throw UserError(args.config + ": data.test: needed, the curve is made on it");
  score::check_evaluation(config.evaluation);
  signals::install();
  const std::string baseline = baseline_of(members, args.baseline);
  if (args.overwrite)
    run::require_removable(config, members);
  else
    run::require_same_family(config, members);
  const run::Check found = run::check_run(
      config, {.file = args.config, .own_device = false, .systems = run::systems_of(members)});
  found.require(args.config);
  found.tell();
  const run::TestSet set = run::open_test_set(config, "", "");
  run::tell_of_one_reference(set);
  const AttentionGold gold = read_attention_gold(config, set);  // before hours of training
  const std::string folder = run::run_folder(config);
  require_free_names(folder, members);
  make_folder(folder);
  const FolderLock lock(folder, "heed bottleneck");
  lock.remove_left_overs();
  if (args.overwrite) run::remove_family(config, members);
  run::share_vocabulary(config);
  run::train_family(args.config, members, args.jobs);

  std::vector<score::SystemOutput> outputs;
  for (const run::FamilyMember& member : members)
    outputs.push_back({member.name, text::read_lines(file_in(member.folder, kTestTranslations))});
  const score::LengthReport lengths = score::measure_lengths(
      set.source, set.reference, outputs, config.evaluation, {.baseline = baseline});
  write_atomic(file_in(folder, "lengths.csv"), score::lengths_csv(lengths));
  const std::vector<std::string> titles = titles_of(members);
  const score::LengthReport shown = titled(lengths, titles);
  write_atomic(file_in(folder, "lengths.svg"), draw::draw_plot(draw::plot_of(shown)));

  draw::Report report = begin_report(members, shown, set, titled(outputs, titles));
  report.commands = {command_line(args)};
  report.learning = learning_of(members, titles, config);
  text::Table table{
      {"system", "parameters", "updates", "tokens_per_s", "bleu", "aer_%", "pronouns_%"}, {}};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const run::ModelFolder model = run::open_model(members[i].folder);
    report.long_sentence->attention.push_back(
        write_attention(model, titles[i], sentences_of(report, outputs[i])));
    const AttentionScores scores =
        attention_scores(model, config, gold, set, outputs[i].hypotheses);
    report.systems.push_back(report_system(members[i], titles[i], set, outputs[i], scores));
    table.rows.push_back(row_of(members[i], lengths.systems[i], scores));
  }
  write_atomic(file_in(folder, "systems.csv"), text::table_csv(table));
  for (const std::string& note : made_by(members)) report.notes.push_back(note);
  for (const std::string& found : data::check_hygiene(config.data).text())
    report.notes.push_back(found);
  write_atomic(file_in(folder, "report.html"), draw::report_page(report));
  std::cout << score::lengths_table(lengths) << '\n' << text::table_text(table);
  if (const std::string line = draw::headline(shown); !line.empty()) log::info(line);
  log::info("report: " + file_in(folder, "report.html"));
}

}  // namespace

void add_bottleneck(CommandLine& program) {
  auto [command, args] = program.command("bottleneck", bottleneck);
  command
      .option("config", args->config,
              "The configuration that they share; `systems` lists the family")
      .required();
  command.list("--systems", args->systems, "Train only these systems, separated by commas");
  command.option("--baseline", args->baseline,
                 "System with which the others are compared; default: the one named none");
  command
      .option("--jobs", args->jobs,
              "Models trained at a time; default: one for each `threads` cores")
      .positive();
  command.flag("--overwrite", args->overwrite,
               "Train vocabulary and models anew and delete the older ones, instead of continuing");
  command.option("--set", args->settings,
                 "Change one key of the file for every system; may be repeated");
  command.examples({"heed bottleneck configs/demo.yaml",
                    "heed bottleneck configs/demo.yaml --systems none,bahdanau --jobs 2"});
}

}  // namespace heed
