// heed contrast MODEL: how often the right translation scores better than the wrong ones.
#include "study/contrast.h"

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "decode/translator.h"
#include "run/model_folder.h"
#include "text/pairs.h"
#include "text/utf8.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

struct ContrastArgs {
  std::string model, source, right, target, correct, group, labels, output;
  std::vector<std::string> wrong;
  double require = 0;
  bool per_piece = false, json = false;
  ModelOptions common;
};

/// One file of right translations and others of wrong ones, or one file of both.
bool in_one_file(const ContrastArgs& args) {
  const bool one = !args.target.empty() && !args.correct.empty();
  const bool several = !args.right.empty() && !args.wrong.empty();
  const bool rest = !args.target.empty() || !args.correct.empty() || !args.group.empty();
  if (one == several || (several && rest) || (one && (!args.right.empty() || !args.wrong.empty())))
    throw UserError(
        "contrast: give --right FILE and --wrong FILE, or --target FILE and --correct FILE");
  return one;
}

/// Opens the model, and gives what scores lines by it.
auto scorer_of(const ContrastArgs& args) {
  return [translator = run::open_model(args.model, args.common.open()).translator(),
          per_piece = args.per_piece](const Lines& source, const Lines& target) mutable {
    std::vector<double> scores;
    for (const auto& one : translator.score(source, target))
      scores.push_back(per_piece ? one.log_probability / static_cast<double>(one.tokens.size())
                                 : one.log_probability);
    return scores;
  };
}

std::vector<study::Contrast> from_one_file(const ContrastArgs& args, const Lines& source) {
  const Lines target = text::read_equal_lines(args.target, args.source, source.size());
  const Lines correct = text::read_equal_lines(args.correct, args.source, source.size());
  Lines group;
  if (!args.group.empty()) group = text::read_equal_lines(args.group, args.source, source.size());
  const auto groups = study::group_contrasts(correct, group, args.correct);
  const std::vector<double> scores = scorer_of(args)(source, target);
  std::vector<study::Contrast> contrasts;
  for (const auto& lines : groups) {
    contrasts.push_back({.line = lines.front(), .label = "", .right = scores[lines.front()]});
    for (std::size_t i = 1; i < lines.size(); ++i)
      contrasts.back().wrong.push_back(scores[lines[i]]);
  }
  return contrasts;
}

std::vector<study::Contrast> from_several_files(const ContrastArgs& args, const Lines& source) {
  const Lines right = text::read_equal_lines(args.right, args.source, source.size());
  std::vector<Lines> wrong;
  for (const std::string& file : args.wrong)
    wrong.push_back(text::read_equal_lines(file, args.source, source.size()));
  auto scores_of = scorer_of(args);
  std::vector<study::Contrast> contrasts;
  for (const double score : scores_of(source, right))
    contrasts.push_back({.line = contrasts.size(), .label = "", .right = score});
  for (const Lines& lines : wrong) {
    const std::vector<double> of_wrong = scores_of(source, lines);
    for (std::size_t i = 0; i < contrasts.size(); ++i)
      if (!text::is_blank(lines[i])) contrasts[i].wrong.push_back(of_wrong[i]);
  }
  for (const study::Contrast& contrast : contrasts)
    if (contrast.wrong.empty())
      throw UserError("{}:{}: no wrong translation of this line in any --wrong file",
                      args.wrong.front(), contrast.line + 1);
  return contrasts;
}

void contrast(const ContrastArgs& args) {
  const bool one_file = in_one_file(args);
  require_writable({args.output});
  const Lines source = text::read_sources(args.source);  // once: it may be standard input
  Lines labels;
  if (!args.labels.empty())
    labels = text::read_equal_lines(args.labels, args.source, source.size());
  std::vector<study::Contrast> contrasts =
      one_file ? from_one_file(args, source) : from_several_files(args, source);
  if (contrasts.empty()) throw UserError(args.source + ": empty; nothing to contrast");
  if (!labels.empty())
    for (study::Contrast& contrast : contrasts) contrast.label = trim(labels[contrast.line]);
  const study::ContrastReport report = study::measure_contrasts(contrasts);
  if (!args.output.empty()) write_atomic(args.output, study::contrast_csv(contrasts));
  std::cout << (args.json ? study::contrast_json(report) : study::contrast_table(report));
  if (!report.all.reaches(args.require))
    throw Failure("{}: resolves {} %, and --require asks for {} %", args.model,
                  fixed(100 * report.all.value(), 2), fixed(args.require, 2));
}

}  // namespace

void add_contrast(CommandLine& program) {
  auto [command, args] = program.command("contrast", contrast);
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.option("--source", args->source, "Source sentences").required();
  command.option("--right", args->right, "Their right translations, line by line");
  command.option("--wrong", args->wrong,
                 "Wrong translations; may be repeated. A blank line is no translation");
  command.option("--target", args->target,
                 "Instead of --right and --wrong: right and wrong translations in one file; "
                 "--source repeats the sentence for each");
  command.option("--correct", args->correct,
                 "1 for each right line of --target, 0 for each wrong one");
  command.option("--group", args->group,
                 "The same text for all lines of one sentence; default: each right line begins "
                 "the next sentence");
  command.option("--by", args->labels,
                 "One label per line of --source (that of the right translation is used); shows "
                 "accuracy by label, too");
  command.group("Measuring");
  command.flag("--per-piece", args->per_piece,
               "Divide each log-probability by the number of pieces before comparing");
  command
      .option("--require", args->require,
              "Fail (exit code 1) if fewer per cent of the sentences are resolved")
      .between(0.0, 100.0);
  command.group("Output");
  command.output("-o,--output", args->output, "Write each sentence's scores here, as CSV");
  command.flag("--json", args->json, "Print JSON instead of a table");
  args->common.add(command);
  command.examples(
      {"heed contrast runs/demo/transformer --source data/demo/sets/contrast.src "
       "--right data/demo/sets/contrast.tgt --wrong data/demo/sets/contrast.wrong --require 95",
       "heed contrast runs/demo/transformer --source data/demo/sets/classic.src "
       "--right data/demo/sets/classic.tgt --wrong data/demo/sets/classic.wrong "
       "--wrong data/demo/sets/classic.neither -o classic.csv"});
}

}  // namespace heed
