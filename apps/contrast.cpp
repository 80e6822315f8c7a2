// heed contrast MODEL: targeted test sets. How often the right translation scores better than the
// wrong ones, or how often translated pronouns have the gender of what they stand for.
#include "study/contrast.h"

#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "run/held_out.h"
#include "score/bleu_statistics.h"
#include "study/pronouns.h"
#include "text/pairs.h"
#include "text/utf8.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

struct ContrastArgs {
  std::string model, source, output;
  std::string right, target, correct, group, labels;  // of right and wrong translations
  std::vector<std::string> wrong;
  std::string antecedents, hypothesis;  // of pronouns
  std::vector<std::string> forms;
  double require = 0;
  bool per_piece = false, json = false;
  ModelOptions common;
};

/// The first of the options that is given, or "".
std::string first_given(const std::vector<std::pair<std::string, bool>>& options) {
  for (const auto& [name, given] : options)
    if (given) return name;
  return "";
}

/// Whether the test set is one of pronouns. Throws UserError where an option does not belong to the
/// kind of test set that is given.
bool is_of_pronouns(const ContrastArgs& args) {
  const std::string of_pronouns =
      first_given({{"--forms", !args.forms.empty()}, {"--hypothesis", !args.hypothesis.empty()}});
  const std::string of_choices = first_given({{"--right", !args.right.empty()},
                                              {"--wrong", !args.wrong.empty()},
                                              {"--target", !args.target.empty()},
                                              {"--correct", !args.correct.empty()},
                                              {"--group", !args.group.empty()},
                                              {"--by", !args.labels.empty()},
                                              {"--per-piece", args.per_piece}});
  if (args.antecedents.empty()) {
    if (!of_pronouns.empty())
      throw UserError(
          "contrast: {} is for a test set of pronouns; give its --antecedents FILE, too, or leave "
          "out {}",
          of_pronouns, of_pronouns);
    return false;
  }
  if (!of_choices.empty())
    throw UserError(
        "contrast: {} is for right and wrong translations, and --antecedents for pronouns; leave "
        "out one of the two",
        of_choices);
  if (args.forms.empty())
    throw UserError(
        "contrast: --antecedents needs --forms GENDER=FORM,..., the target language's pronouns");
  return true;
}

/// One file of right translations and others of wrong ones, or one file of both.
bool in_one_file(const ContrastArgs& args) {
  const bool one = !args.target.empty() && !args.correct.empty();
  const bool several = !args.right.empty() && !args.wrong.empty();
  const bool rest = !args.target.empty() || !args.correct.empty() || !args.group.empty();
  if (one == several || (several && rest) || (one && (!args.right.empty() || !args.wrong.empty())))
    throw UserError(
        "contrast: give --right FILE and --wrong FILE, or --target FILE and --correct FILE, or "
        "--antecedents FILE");
  return one;
}

/// Opens the model, and gives what scores lines by it.
auto scorer_of(const ContrastArgs& args) {
  return [score = libtorch().open_scorer(args.model, args.common.open()),
          per_piece = args.per_piece](const Lines& source, const Lines& target) {
    std::vector<double> scores;
    for (const PairScore& one : score(source, target))
      scores.push_back(per_piece ? one.log_probability / static_cast<double>(one.tokens)
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
  const auto scores_of = scorer_of(args);
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

/// Throws Failure where fewer per cent are right than --require asks for. `what` is a phrase for
/// the message: "resolves {} %".
void require_share(const ContrastArgs& args, const score::Proportion& right,
                   const std::string& what) {
  if (!right.reaches(args.require))
    throw Failure("{}: {}, and --require asks for {} %",
                  args.model.empty() ? args.hypothesis : args.model, what, fixed(args.require, 2));
}

void compare_scores(const ContrastArgs& args) {
  if (args.model.empty()) throw UserError("contrast: model is required; see heed contrast --help");
  const bool one_file = in_one_file(args);
  libtorch();
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
  require_share(args, report.all, "resolves " + fixed(100 * report.all.value(), 2) + " %");
}

/// Ready translations, or the model's own of those lines that have a pronoun; empty for the others.
Lines translations(const ContrastArgs& args, const Lines& source,
                   const std::vector<std::vector<study::Antecedent>>& gold) {
  if (!args.hypothesis.empty())
    return text::read_equal_lines(args.hypothesis, args.source, source.size());
  Lines lines = source;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (gold[i].empty()) lines[i].clear();  // costs nothing, and warnings count the file's lines
  return translations_of(args.model, args.common.open(), lines);
}

void count_genders(const ContrastArgs& args) {
  if (args.model.empty() == args.hypothesis.empty())
    throw UserError("contrast: give either a model folder or --hypothesis FILE");
  if (!args.model.empty()) prepare_models(args.model, args.common.open());
  require_writable({args.output});
  const study::PronounForms forms = study::parse_forms(args.forms);
  const Lines source = text::read_sources(args.source);
  const auto gold =
      study::parse_antecedents(text::read_lines(args.antecedents), source.size(), args.antecedents);
  study::require_genders(gold, forms, args.antecedents);
  const Lines outputs = translations(args, source, gold);
  study::PronounReport report;
  for (std::size_t i = 0; i < source.size(); ++i)
    report.add(gold[i], study::pronoun_genders(outputs[i], forms));
  if (!args.output.empty()) run::write_lines(args.output, outputs);
  std::cout << (args.json ? study::pronoun_json(report) : study::pronoun_table(report));
  require_share(args, report.all(),
                fixed(100 * report.all().value(), 2) + " % of the genders are right");
}

void contrast(const ContrastArgs& args) {
  is_of_pronouns(args) ? count_genders(args) : compare_scores(args);
}

}  // namespace

void add_contrast(CommandLine& program) {
  auto [command, args] = program.command("contrast", contrast);
  command.model("model", args->model, "Folder that `heed train` wrote");
  command.group("Input");
  command.input("--source", args->source, "Source sentences of the test set").required();
  command.group("A test set of right and wrong translations (is the right one more probable?)");
  command.input("--right", args->right, "The right translations of --source, line by line");
  command.input("--wrong", args->wrong,
                "Wrong translations; may be repeated. A blank line is no translation");
  command.input("--target", args->target,
                "Instead of --right and --wrong: right and wrong translations in one file; "
                "--source repeats the sentence for each");
  command.input("--correct", args->correct,
                "1 for each right line of --target, 0 for each wrong one");
  command.input("--group", args->group,
                "The same text for all lines of one sentence; default: each right line begins "
                "the next sentence");
  command.input("--by", args->labels,
                "One label per line of --source (that of the right translation is used); shows "
                "accuracy by label, too");
  command.flag("--per-piece", args->per_piece,
               "Divide each log-probability by the number of pieces before comparing");
  command.group(
      "A test set of pronouns (do the model's own translations of them have the right gender?)");
  command.input("--antecedents", args->antecedents,
                "The pronouns of --source and the gender of what each stands for, in the format "
                "of data_scripts/demo_corpus.py");
  command.list("--forms", args->forms,
               "The target language's pronouns, GENDER=FORM separated by commas");
  command.input("--hypothesis", args->hypothesis,
                "Existing translations of --source instead of a model's");
  command.group("Measuring");
  command
      .option("--require", args->require,
              "Fail (exit code 1) if fewer per cent of the sentences are resolved, or of the "
              "pronouns' genders are right")
      .between(0.0, 100.0);
  command.group("Output");
  command.output("-o,--output", args->output,
                 "Write each sentence's scores here, as CSV; with --antecedents the translations, "
                 "where lines without a pronoun are left blank");
  command.flag("--json", args->json, "Print JSON instead of a table");
  args->common.add(command);
  command.examples(
      {"heed contrast runs/demo/transformer --source data/demo/sets/contrast.src "
       "--right data/demo/sets/contrast.tgt --wrong data/demo/sets/contrast.wrong --require 95",
       "heed contrast runs/demo/transformer --source data/demo/test.src --antecedents "
       "data/demo/test.antecedents --forms m=elo,f=ela,n=ele"});
}

}  // namespace heed
