// heed bottleneck CONFIG: trains the family on the same data and budget, and shows where a model
// without attention breaks.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/bottleneck/attention_report.h"
#include "apps/bottleneck/family_report.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/output_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "run/check.h"
#include "run/config.h"
#include "run/family.h"
#include "run/held_out.h"
#include "score/lengths.h"
#include "score/sacrebleu.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct BottleneckArgs {
  std::string config, baseline;
  std::vector<std::string> settings, systems;
  int64_t jobs = 0;
  bool overwrite = false;
};

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
  if (std::ranges::none_of(members, has_begun)) require_written_by_heed(folder, kFamilyReportFiles);
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
  run::share_vocabulary(config, found.trained);
  run::train_family(args.config, members, args.jobs);
  write_family_report(members, config, set, gold, baseline, command_line(args));
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
