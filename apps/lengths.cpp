// heed lengths: BLEU by source length, of models or of ready translations.
#include "score/lengths.h"

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/cli/picture_form.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "draw/plot.h"
#include "run/config.h"
#include "run/held_out.h"
#include "run/saved_config.h"
#include "score/config.h"
#include "score/sacrebleu.h"
#include "text/pairs.h"
#include "text/tmx_lines.h"

namespace heed {
namespace {

struct LengthsArgs {
  std::vector<std::string> models, hypotheses;
  std::string source, reference, csv, svg, baseline;
  PictureForm form;
  ModelOptions common;
};

/// NAME=FILE, or FILE named after itself, with = in its path, too.
std::pair<std::string, std::string> named_file(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text))
    return {std::filesystem::path(text).stem().string(), text};
  if (equals == 0) throw UserError("lengths: --hypothesis {} has no name before the =", text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void lengths(const LengthsArgs& args) {
  if (args.models.empty() && args.hypotheses.empty())
    throw UserError(
        "lengths: give model folders, or --hypothesis NAME=FILE with --source and "
        "--reference");
  const bool translates = !args.models.empty();
  std::vector<std::string> names = distinct_names(args.models);
  for (const std::string& hypothesis : args.hypotheses)
    names.push_back(named_file(hypothesis).first);
  score::check_names(names, args.baseline);
  for (const std::string& path : args.models) {
    run::require_model_folder(path);
    prepare_models(path, args.common.open());
  }
  std::vector<score::SystemOutput> outputs;  // read last: another program reads no pipe again
  for (const std::string& hypothesis : args.hypotheses) {
    const auto [name, file] = named_file(hypothesis);
    text::require_text_file(file, "--hypothesis");
    outputs.push_back({name, text::read_lines(file)});
  }
  const run::Config config = run::with_settings(
      translates ? run::saved_config(args.models.front()) : run::Config(), args.common.settings);
  const score::EvaluationConfig& evaluation = config.evaluation;
  if (!translates && config.data.test.source.empty() &&
      (args.source.empty() || args.reference.empty()))
    throw UserError("lengths: --hypothesis without a model folder needs --source and --reference");
  const run::TestSet set = run::open_test_set(config, args.source, args.reference,
                                              translates ? args.models.front() : "");
  if (translates) score::check_evaluation(evaluation);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text::require_equal_lines(set.name, set.source.size(), outputs[i].name,
                              outputs[i].hypotheses.size());
    run::warn_of_reference(named_file(args.hypotheses[i]).second, outputs[i].hypotheses, set);
  }
  require_writable({args.csv, args.svg}, set.files);
  std::vector<score::SystemOutput> systems;
  for (const std::string& path : args.models)
    systems.push_back(
        {names[systems.size()], translations_of(path, args.common.open(), set.source)});
  for (score::SystemOutput& system : outputs) systems.push_back(std::move(system));
  run::tell_of_one_reference(set);
  run::check_tokenizer(set.reference, evaluation);
  const score::LengthReport report =
      score::measure_lengths(set.source, set.reference, systems, evaluation, args.baseline);
  for (const std::string& warning : report.warnings) log::warn(warning);
  std::cout << score::lengths_table(report);
  if (!args.csv.empty()) write_atomic(args.csv, score::lengths_csv(report));
  if (!args.svg.empty())
    write_atomic(args.svg, draw::draw_plot(draw::plot_of(report), args.form.form()));
}

}  // namespace

void add_lengths(CommandLine& program) {
  auto [command, args] = program.command("lengths", lengths);
  command.model("models", args->models, "Folders that `heed train` wrote");
  command.group("Input");
  command
      .option("--hypothesis", args->hypotheses, "Existing translations, NAME=FILE; may be repeated")
      .shows_type("FILE");
  command.input("--source", args->source, "Source sentences; default: the first model's test set");
  command.input("--reference", args->reference, "Their correct translations");
  command.group("Measuring");
  command.option("--baseline", args->baseline,
                 "Name of the system with which the others are compared");
  command.group("Output");
  command.output("--csv", args->csv, "Write the numbers here");
  const Argument svg = command.output("--svg", args->svg, "Write the curve here");
  args->form.add(command, svg);
  args->common.add(command);
  command.examples(
      {"heed lengths runs/demo/none runs/demo/bahdanau --baseline none --svg curve.svg",
       "heed lengths --hypothesis mine=runs/multi30k_quick/test.hypothesis "
       "--source data/multi30k/test2016.de --reference data/multi30k/test2016.en "
       "--csv lengths.csv"});
}

}  // namespace heed
