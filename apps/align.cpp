// heed align MODEL: word alignments out of attention, and their error rate against gold.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/signals.h"
#include "data/notice.h"
#include "inspect/aligner.h"
#include "inspect/details.h"
#include "run/inspect_folder.h"
#include "run/model_folder.h"
#include "study/alignment.h"
#include "text/pairs.h"
#include "text/utf8.h"

namespace heed {
namespace {

using study::Symmetrization;

// Lines that are written together.
constexpr std::size_t kWritten = 512;

struct AlignArgs {
  std::string model, source, target, gold, tune_source, tune_target, tune_gold, output;
  std::string reverse, method = "grow-diag-final-and";
  AlignmentOptions weights;
  inspect::GoldForm form;
  bool json = false;
  ModelOptions common;

  bool tuned() const { return !tune_gold.empty(); }
};

void check(const AlignArgs& args) {
  const bool any = !args.tune_source.empty() || !args.tune_target.empty() || args.tuned();
  const bool all = !args.tune_source.empty() && !args.tune_target.empty() && args.tuned();
  if (any && !all)
    throw UserError("align: tuning needs --tune-source, --tune-target and --tune-gold");
  if (any && args.weights.chosen())
    throw UserError(
        "align: give --layer, --head and --aligned-step, or --tune-gold to choose them, not both");
  if (args.json && args.gold.empty())
    throw UserError("align: --json prints error rates, which need --gold");
  if (args.json && args.output == "-")
    throw UserError(
        "align: --json and the alignments cannot both go to standard output; name a file with "
        "-o, or leave it out");
  if ((args.form.swapped || args.form.one_based) && args.gold.empty() && !args.tuned())
    throw UserError("align: {} describes the files of --gold and --tune-gold; give one of these",
                    args.form.swapped ? "--swap-gold" : "--one-based");
}

Symmetrization method_of(const std::string& name) {
  if (name == "intersection") return Symmetrization::intersection;
  return name == "union" ? Symmetrization::union_ : Symmetrization::grow_diag_final_and;
}

/// Once, for both directions: the files may be streams.
std::optional<inspect::GoldPairs> read_tuning(const AlignArgs& args) {
  if (!args.tuned()) return std::nullopt;
  inspect::GoldPairs tuning{
      text::read_pairs(args.tune_source, args.tune_target), {}, args.tune_gold};
  tuning.gold = inspect::read_gold(args.tune_gold, tuning.pairs, args.form);
  return tuning;
}

/// Chooses the weights by --layer, --head and --aligned-step, or those that fit --tune-gold best.
void choose(inspect::AlignerByRule& by, const AlignArgs& args,
            const std::optional<inspect::GoldPairs>& tuning) {
  by.rule.least = args.weights.least;
  if (tuning) by.rule.choice = by.aligner.sweep(*tuning, by.rule.least).best();
  args.weights.apply(by.aligner.traits(), by.rule.choice);
  log::info(by.aligner.name() + ": " + describe(by.rule.choice) +
            (args.tuned() ? ", best on " + args.tune_gold : ""));
}

/// Aligns chunk by chunk, by one model or by both.
void write_alignments(inspect::AlignerByRule& forward, inspect::SymmetrizedAligner* both,
                      const text::Pairs& pairs, const AlignArgs& args) {
  std::optional<AtomicFile> file;
  if (!args.output.empty()) file.emplace(args.output);
  const auto write = [&](const std::string& line) {
    if (file)
      file->write(line + "\n");
    else if (!args.json)  // then the error rates are the product
      std::cout << line << '\n';
  };
  ProgressBar bar("sentences aligned", std::ssize(pairs.source));
  for (const text::PairChunk& chunk : text::chunks_of(pairs, kWritten)) {
    const std::vector<study::Alignment> alignments = both != nullptr
                                                         ? both->align(chunk.pairs, chunk.first)
                                                         : forward.align(chunk.pairs, chunk.first);
    for (const study::Alignment& alignment : alignments) write(study::pharaoh(alignment));
    bar.add(static_cast<double>(alignments.size()));
    signals::stop_if_interrupted();
  }
  bar.end();
  if (file) file->commit();
}

/// Pharaoh's links count words: programs that separate them by ASCII's blanks alone count others.
void warn_of_other_blanks(const text::Pairs& pairs, const std::string& source) {
  data::Notice lines;
  for (std::size_t i = 0; i < pairs.source.size(); ++i)
    if (text::has_other_blanks(pairs.source[i]) || text::has_other_blanks(pairs.target[i]))
      lines.add(static_cast<int64_t>(i) + 1);
  if (lines.count > 0)
    log::warn(
        "{}: pairs with other blanks than spaces (U+00A0); not all programs separate words at "
        "these, and the links are shifted: {}",
        source, lines.text());
}

void align(AlignArgs args) {
  check(args);
  if (args.output == "-") args.output.clear();
  if (!args.output.empty()) signals::install();  // half a file is to be taken away
  require_writable({args.output});
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  if (!args.gold.empty()) text::require_pairs(pairs, args.source);
  const auto gold = inspect::read_gold(args.gold, pairs, args.form);
  warn_of_other_blanks(pairs, args.source);
  const std::optional<inspect::GoldPairs> tuning = read_tuning(args);
  inspect::AlignerByRule forward = run::aligner_of(run::open_model(args.model, args.common.open()));
  choose(forward, args, tuning);
  std::optional<inspect::AlignerByRule> backward;
  std::optional<inspect::SymmetrizedAligner> both;
  if (!args.reverse.empty()) {
    backward.emplace(run::aligner_of(run::open_model(args.reverse, args.common.reversed().open())));
    choose(*backward, args, tuning ? std::optional(inspect::reversed(*tuning)) : std::nullopt);
    both.emplace(forward, *backward, method_of(args.method), gold);
  }
  std::optional<study::AlignmentSweep> sweep;
  if (!gold.empty()) sweep = forward.aligner.sweep({pairs, gold, args.gold}, forward.rule.least);
  write_alignments(forward, both ? &*both : nullptr, pairs, args);
  forward.aligner.warn_of_lines_without_links();
  if (backward) backward->aligner.warn_of_lines_without_links();
  if (!sweep) return;
  std::vector<study::NamedError> others;
  if (both) others = {{"reverse", both->backward_error()}, {args.method, both->joined_error()}};
  if (args.json)
    std::cout << study::sweep_json(*sweep, forward.rule.choice, others);
  else
    std::cerr << study::sweep_table(*sweep, forward.rule.choice, others);
}

}  // namespace

void add_align(CommandLine& program) {
  auto [command, args] = program.command("align", align);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.input("--source", args->source, "Source sentences").required();
  command.input("--target", args->target, "Their translations, line by line").required();
  command.input(
      "--gold", args->gold,
      "Correct alignments: i-j, or i?j or ipj for possible links; shows the error rate of "
      "every layer and head");
  add_gold_form(command, args->form);
  command.group("Which weights");
  args->weights.add(command);
  command.input("--tune-gold", args->tune_gold,
                "Take the layer, head and step that fit these correct alignments best");
  command.input("--tune-source", args->tune_source, "The source sentences of --tune-gold");
  command.input("--tune-target", args->tune_target, "Their translations");
  command.group("Directions");
  const Argument reverse =
      command.model("--reverse", args->reverse,
                    "A model of the other direction; its alignments are joined with these");
  command.option("--symmetrize", args->method, "How the alignments of both models are joined")
      .needs(reverse)
      .one_of({"grow-diag-final-and", "intersection", "union"});
  command.group("Output");
  command.output("-o,--output", args->output,
                 "Write the alignments here; - (default) is standard output");
  command.flag("--json", args->json,
               "Print the error rates as JSON; the alignments go only to the file of -o");
  args->common.add(command);
  command.examples(
      {"heed align runs/demo/transformer --source data/demo/test.src --target data/demo/test.tgt "
       "--gold data/demo/test.align -o test.links",
       "heed align runs/demo/transformer --source data/demo/test.src --target data/demo/test.tgt "
       "--layer last --head mean"});
}

}  // namespace heed
