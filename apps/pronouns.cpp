// heed pronouns MODEL: whether its translations give pronouns the gender of what they stand for.
#include "study/pronouns.h"

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "run/held_out.h"
#include "text/pairs.h"

namespace heed {
namespace {

struct PronounsArgs {
  std::string model, source, antecedents, hypothesis, output;
  std::vector<std::string> forms;
  double require = 0;
  bool json = false;
  ModelOptions common;
};

/// Ready translations, or the model's own of those lines that have a pronoun; empty for the others.
std::vector<std::string> translations(const PronounsArgs& args,
                                      const std::vector<std::string>& source,
                                      const std::vector<std::vector<study::Antecedent>>& gold) {
  if (!args.hypothesis.empty())
    return text::read_equal_lines(args.hypothesis, args.source, source.size());
  std::vector<std::string> lines = source;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (gold[i].empty()) lines[i].clear();  // costs nothing, and warnings count the file's lines
  return translations_of(args.model, args.common.open(), lines);
}

void pronouns(const PronounsArgs& args) {
  if (args.model.empty() == args.hypothesis.empty())
    throw UserError("pronouns: give either a model folder or --hypothesis FILE");
  if (!args.model.empty()) prepare_models(args.model, args.common.open());
  require_writable({args.output});
  const study::PronounForms forms = study::parse_forms(args.forms);
  const std::vector<std::string> source = text::read_sources(args.source);
  const auto gold =
      study::parse_antecedents(text::read_lines(args.antecedents), source.size(), args.antecedents);
  study::require_genders(gold, forms, args.antecedents);
  const std::vector<std::string> outputs = translations(args, source, gold);
  study::PronounReport report;
  for (std::size_t i = 0; i < source.size(); ++i)
    report.add(gold[i], study::pronoun_genders(outputs[i], forms));
  if (!args.output.empty()) run::write_lines(args.output, outputs);
  std::cout << (args.json ? study::pronoun_json(report) : study::pronoun_table(report));
  if (!report.all().reaches(args.require))
    throw Failure("{}: {} % of the genders are right, and --require asks for {} %",
                  args.model.empty() ? args.hypothesis : args.model,
                  fixed(100 * report.all().value(), 2), fixed(args.require, 2));
}

}  // namespace

void add_pronouns(CommandLine& program) {
  auto [command, args] = program.command("pronouns", pronouns);
  command.option("model", args->model, "Folder that `heed train` wrote; translates --source");
  command.group("Input");
  command.option("--source", args->source, "Source sentences").required();
  command
      .option("--antecedents", args->antecedents,
              "The pronouns of --source and the gender of what each stands for, in the format of "
              "data_scripts/demo_corpus.py")
      .required();
  command
      .list("--forms", args->forms,
            "The target language's pronouns, GENDER=FORM separated by commas")
      .required();
  command.option("--hypothesis", args->hypothesis,
                 "Existing translations of --source instead of a model's");
  command.group("Measuring");
  command
      .option("--require", args->require,
              "Fail (exit code 1) if fewer per cent of the genders are right")
      .between(0.0, 100.0);
  command.group("Output");
  command.output("-o,--output", args->output,
                 "Write the translations here; lines without a pronoun are left blank");
  command.flag("--json", args->json, "Print JSON instead of a table");
  args->common.add(command);
  command.examples(
      {"heed pronouns runs/demo/transformer --source data/demo/test.src --antecedents "
       "data/demo/test.antecedents --forms m=elo,f=ela,n=ele",
       "heed pronouns --hypothesis runs/demo/transformer/test.hypothesis --source "
       "data/demo/test.src --antecedents data/demo/test.antecedents --forms m=elo,f=ela,n=ele"});
}

}  // namespace heed
