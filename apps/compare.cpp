// heed compare A B [C ...]: where translations of the same text differ.
#include <iostream>

#include "apps/cli/libtorch.h"
#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "draw/comparison_page.h"
#include "run/held_out.h"
#include "score/chrf.h"
#include "text/pairs.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNgrams = 15;  // shown of either side
constexpr int64_t kTrials = 10000;   // of approximate randomisation

struct CompareArgs {
  std::vector<std::string> systems;
  std::string source, reference, counts, output, json;
  int64_t sentences = 20;
  ModelOptions common;
};

bool is_model(const std::string& path) {
  return fs::exists(fs::path(path) / kConfigFile);
}

/// Of the first model, or the defaults where all are files, with what --set changes.
run::Config config_of(const CompareArgs& args) {
  const auto model = std::ranges::find_if(args.systems, is_model);
  return run::with_settings(model != args.systems.end() ? run::saved_config(*model) : run::Config(),
                            args.common.settings);
}

/// The set on which all are compared: what was named, else the first model's test set.
run::TestSet open_set(const CompareArgs& args, const run::Config& config) {
  const auto model = std::ranges::find_if(args.systems, is_model);
  if (model != args.systems.end())
    return run::open_test_set(config, args.source, args.reference, *model);
  if (args.reference.empty())
    throw UserError("compare: files of translations need --reference, the correct ones");
  run::TestSet set{.name = args.reference,
                   .source = {},
                   .reference = text::read_lines(args.reference),
                   .more_references = {},
                   .files = {args.source, args.reference}};
  if (!args.source.empty()) set.source = text::read_sources(args.source);
  return set;
}

/// In their order, but a mistake in any file shows before minutes of translating.
std::vector<score::SystemOutput> systems_of(const CompareArgs& args,
                                            const std::vector<std::string>& names,
                                            const run::TestSet& set) {
  std::vector<score::SystemOutput> systems;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& path = args.systems[i];
    systems.push_back({names[i], {}});
    if (is_model(path)) continue;
    systems[i].hypotheses = text::read_lines(path);
    text::require_equal_lines(set.name, set.reference.size(), path, systems[i].hypotheses.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_model(args.systems[i]))
      systems[i].hypotheses = translations_of(args.systems[i], args.common.open(), set.source);
  return systems;
}

/// The lines as they are compared: without capitals where evaluation.lowercase ignores them.
std::vector<std::string> as_compared(std::vector<std::string> lines,
                                     const score::EvaluationConfig& evaluation) {
  if (evaluation.lowercase)
    for (std::string& line : lines) line = text::lower_case(line);
  return lines;
}

/// All that is compared: translations and references, as_compared().
struct Compared {
  std::vector<score::SystemOutput> systems = {};
  std::vector<std::string> reference;
};

/// Shown as they are written.
void add_sentences(const run::TestSet& set, const std::vector<score::SystemOutput>& systems,
                   const Compared& all, int64_t most, draw::ComparisonReport& report) {
  for (const study::SentenceScores& one :
       study::sentences_that_differ(all.reference, all.systems, static_cast<std::size_t>(most))) {
    draw::ReportSentence shown = draw::report_sentence(
        one.line, set.source.empty() ? "" : set.source[one.line], set.reference[one.line], systems);
    for (std::size_t s = 0; s < systems.size(); ++s) {
      shown.translations[s].chrf = one.chrf[s];
      if (!study::compares_order(text::words_in(shown.translations[s].text),
                                 text::words_in(shown.reference)))
        report.notes.push_back(
            fmt::format("line {}, {}: too long to compare the order of words; marked are those "
                        "that the reference does not have as often",
                        one.line + 1, systems[s].name));
    }
    report.sentences.push_back(std::move(shown));
  }
}

/// BLEU of a system less that of the first one, and whether that is chance.
void add_bleu(const std::vector<std::string>& system, const std::vector<std::string>& first,
              const std::vector<std::string>& reference, const score::EvaluationConfig& evaluation,
              draw::ComparedToFirst& out) {
  std::vector<std::vector<score::BleuStatistics>> both;
  for (const auto* one : {&first, &system})
    both.push_back(
        score::bleu_statistics(*one, reference, evaluation.tokenize, evaluation.lowercase));
  out.bleu = score::bleu(score::sum(both[1])).score - score::bleu(score::sum(both[0])).score;
  out.randomisation = score::approximate_randomisation(both[1], both[0], kTrials, /*seed=*/1);
  if (evaluation.bootstrap == 0) return;
  const auto draws = score::bootstrap(both, evaluation.bootstrap, /*seed=*/1);
  out.bootstrap = score::compare_draws(draws[1], draws[0], *out.bleu);
}

draw::ComparedToFirst to_first(const Compared& all, std::size_t system,
                               const score::EvaluationConfig& evaluation) {
  const auto &hypotheses = all.systems[system].hypotheses, &first = all.systems.front().hypotheses;
  draw::ComparedToFirst out;
  if (score::knows_tokenizer(evaluation.tokenize))
    add_bleu(hypotheses, first, all.reference, evaluation, out);
  out.ngrams = study::ngram_differences(study::tokens_of(all.reference), study::tokens_of(first),
                                        study::tokens_of(hypotheses), kNgrams);
  for (std::size_t line = 0; line < all.reference.size(); ++line) {
    const double change = score::sentence_chrf(hypotheses[line], all.reference[line]) -
                          score::sentence_chrf(first[line], all.reference[line]);
    out.better += change > 0;
    out.worse += change < 0;
  }
  return out;
}

void compare(const CompareArgs& args) {
  if (args.systems.size() < 2)
    throw UserError("compare: name two or more run folders or files of translations");
  for (const std::string& path : args.systems)
    if (is_model(path))
      run::require_model_folder(path);
    else if (fs::is_directory(path))
      throw UserError(path + ": no run and no file; the folder has no config.yaml");
  const std::vector<std::string> names = distinct_names(args.systems);
  const run::Config config = config_of(args);
  for (const std::string& path : args.systems)
    if (is_model(path)) prepare_models(path, args.common.open());
  const score::EvaluationConfig& evaluation = config.evaluation;
  score::check_evaluation(evaluation);
  const run::TestSet set = open_set(args, config);
  run::tell_of_one_reference(set);
  run::check_tokenizer(set.reference, evaluation);
  require_writable({args.output, args.json}, set.files);  // before minutes of translating
  Compared all{.reference = as_compared(set.reference, evaluation)};
  const study::Tokens reference = study::tokens_of(all.reference);
  const study::WordFrequencies frequencies = study::frequencies_of(
      args.counts.empty()
          ? reference
          : study::tokens_of(as_compared(text::read_lines(args.counts), evaluation)));
  const std::vector<score::SystemOutput> systems = systems_of(args, names, set);
  draw::ComparisonReport report{.title = "Comparison on " + set.name};
  for (const score::SystemOutput& system : systems) {
    all.systems.push_back({system.name, as_compared(system.hypotheses, evaluation)});
    report.systems.push_back(
        {.name = system.name,
         .scores = score::score(system.hypotheses, set.reference, evaluation)});
    if (all.systems.size() > 1)
      report.systems.back().to_first = to_first(all, all.systems.size() - 1, evaluation);
  }
  if (!set.source.empty()) {
    report.lengths = score::measure_lengths(set.source, set.reference, systems, evaluation,
                                            systems.front().name);
    for (const std::string& warning : report.lengths->warnings) log::warn(warning);
    report.notes = report.lengths->warnings;
  } else if (!score::knows_tokenizer(evaluation.tokenize)) {
    report.notes.push_back(
        "no tests of BLEU: heed resamples with tokenize 13a, char or none, not " +
        evaluation.tokenize);
    log::warn(report.notes.back());
  }
  if (text::are_written_together(set.reference))
    report.notes.emplace_back(
        "the references are written without blanks: each character counts as a word");
  report.counted_in = args.counts.empty() ? "the reference" : args.counts;
  std::vector<study::Tokens> tokens;
  for (const score::SystemOutput& system : all.systems)
    tokens.push_back(study::tokens_of(system.hypotheses));
  report.frequencies = study::accuracy_by_frequency(reference, tokens, frequencies);
  add_sentences(set, systems, all, args.sentences, report);
  std::cout << draw::comparison_table(report);
  if (!args.json.empty()) write_atomic(args.json, draw::comparison_json(report));
  if (args.output.empty()) return;
  write_atomic(args.output, draw::comparison_page(report));
  log::info("page: " + args.output);
}

}  // namespace

void add_compare(CommandLine& program) {
  auto [command, args] = program.command("compare", compare);
  command
      .option("systems", args->systems,
              "Folders that `heed train` wrote, or files of translations; the others are compared "
              "with the first")
      .required();
  command.group("Input");
  command.option("--source", args->source, "Source sentences; default: the first run's test set");
  command.option("--reference", args->reference, "Their correct translations");
  command.option("--counts", args->counts,
                 "Text in the target language, such as the training corpus, that tells how "
                 "frequent words are; default: the reference");
  command.group("Output");
  command.output("-o,--output", args->output, "Write an HTML page here");
  command.output("--json", args->json, "Write all numbers and the sentences here");
  command.option("--sentences", args->sentences, "Sentences on the page and in the JSON")
      .not_negative();
  args->common.add(command);
  command.examples({"heed compare runs/demo/none runs/demo/bahdanau -o compare.html",
                    "heed compare baseline.txt mine.txt --source test.de --reference test.en "
                    "--counts train.en -o compare.html --json compare.json"});
}

}  // namespace heed
