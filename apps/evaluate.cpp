// heed evaluate: scores of a model's translations, or of a ready file of them.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "data/languages.h"
#include "decode/search/config.h"
#include "decode/search/glossary.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/held_out.h"
#include "run/saved_config.h"
#include "score/bleu_statistics.h"
#include "score/config.h"
#include "score/sacrebleu.h"
#include "text/pairs.h"

namespace heed {
namespace {

struct EvaluateArgs {
  std::string model, hypothesis, source, output, glossary;
  std::vector<std::string> references;
  bool valid = false, words = false;
  ModelOptions common;

  std::string reference() const { return references.empty() ? "" : references.front(); }
  std::vector<std::string> more_references() const {
    return {references.begin() + !references.empty(), references.end()};
  }
};

using Lines = std::vector<std::string>;

void print_terms(const decode::Glossary& glossary, const Lines& sources, const Lines& hypotheses,
                 const run::TestSet& set) {
  std::vector<Lines> references = set.more_references;
  references.push_back(set.reference);
  const score::Proportion share = glossary.obeyed(sources, hypotheses, references);
  std::cout << "terms obeyed " << fixed(100 * share.value(), 2) << " % (" << share.hits << " of "
            << share.of << " that references obey)\n";
  if (!glossary.is_in_any(sources))
    log::warn("--glossary: no source line has a term of it; is it for this pair of languages?");
}

std::optional<decode::Glossary> glossary_of(const EvaluateArgs& args, const run::Config& config) {
  if (args.glossary.empty()) return std::nullopt;
  decode::DecodeConfig rules = config.decoding;
  rules.glossary = args.glossary;
  const data::LanguagePair languages = data::language_pair(config.data);
  return decode::Glossary(rules, languages.source, languages.target);
}

void print(const Lines& hypotheses, const run::TestSet& set, const EvaluateArgs& args,
           const score::EvaluationConfig& config) {
  const Lines& reference = set.reference;
  for (const score::Score& score : score::score(hypotheses, reference, config, set.more_references))
    std::cout << describe(score) << '\n';
  if (!args.words) return;
  const std::string tokenizer = score::known_tokenizer(config.tokenize, reference);
  const auto counts = score::word_counts(hypotheses, reference, tokenizer, config.lowercase);
  const auto line = [&](const char* name, int64_t words, double share) {
    std::cout << name << ' ' << fixed(100 * share, 2) << " % (" << words << " of "
              << counts.reference << (tokenizer == "char" ? " characters" : " words")
              << ", tok:" << tokenizer << ")\n";
  };
  line("repeated", counts.repeated, counts.repeated_share());
  line("dropped", counts.dropped, counts.dropped_share());
}

void evaluate_file(const EvaluateArgs& args) {
  if (args.references.empty())
    throw UserError("evaluate: --hypothesis needs --reference, the correct translations");
  const run::Config config = run::with_settings(run::Config(), args.common.settings);
  const auto glossary = glossary_of(args, config);
  // The lines of the translations stand in the place of sources.
  const run::TestSet set = run::open_test_set(config, args.hypothesis, args.reference(), "", false,
                                              args.more_references());
  run::check_tokenizer(set.reference, config.evaluation);
  print(set.source, set, args, config.evaluation);
  if (glossary)
    print_terms(*glossary, text::read_equal_lines(args.source, args.hypothesis, set.source.size()),
                set.source, set);
}

void evaluate_model(const EvaluateArgs& args) {
  prepare_models(args.model, args.common.open());
  const std::string first = run::model_paths(args.model).front();
  const run::Config config = run::open_config(first, args.common.open()).config;
  score::check_evaluation(config.evaluation);
  const auto glossary = glossary_of(args, config);
  run::TestSet set = run::open_test_set(config, args.source, args.reference(), first, args.valid,
                                        args.more_references());
  if (glossary) set.files.push_back(args.glossary);
  require_writable({args.output}, set.files);  // before minutes of translating
  run::check_tokenizer(set.reference, config.evaluation);
  const Lines hypotheses = translations_of(args.model, args.common.open(), set.source);
  if (!args.output.empty()) run::write_lines(args.output, hypotheses);
  print(hypotheses, set, args, config.evaluation);
  if (glossary) print_terms(*glossary, set.source, hypotheses, set);
}

void evaluate(const EvaluateArgs& args) {
  if (args.model.empty() == args.hypothesis.empty())
    throw UserError("evaluate: give either a model folder or --hypothesis FILE --reference FILE");
  const bool odd_source = args.source.empty() != args.glossary.empty();
  if (args.model.empty() && (args.valid || odd_source || !args.output.empty()))
    throw UserError(
        "evaluate: with --hypothesis leave out --valid and --output, and give --source and "
        "--glossary both or neither");
  if (args.valid && !args.source.empty())
    throw UserError("evaluate: give --valid, or --source and --reference, not both");
  args.model.empty() ? evaluate_file(args) : evaluate_model(args);
}

}  // namespace

void add_evaluate(CommandLine& program) {
  auto [command, args] = program.command("evaluate", evaluate);
  command.model("model", args->model,
                "Folder that `heed train` wrote; its test set is translated; several, separated "
                "by commas, make an ensemble");
  command.group("Input");
  command.flag("--valid", args->valid, "Translate the validation set instead");
  command.input("--source", args->source, "Source sentences instead of the configuration's");
  command.input(
      "--reference", args->references,
      "The correct translations of --source or for --hypothesis; several times for several "
      "references");
  command.input("--hypothesis", args->hypothesis,
                "Existing translations to score instead of a model's");
  command.group("Measuring");
  command.flag("--words", args->words, "Also print the shares of repeated and of dropped words");
  command.input("--glossary", args->glossary,
                "Also print how many terms of this file are obeyed (decoding.glossary uses them)");
  command.group("Output");
  command.output("-o,--output", args->output, "Write the model's translations here");
  args->common.add(command);
  command.examples({"heed evaluate runs/multi30k_transformer",
                    "heed evaluate --hypothesis runs/multi30k_quick/test.hypothesis "
                    "--reference data/multi30k/test2016.en"});
}

}  // namespace heed
