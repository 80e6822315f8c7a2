// heed faithful MODEL: which pictures of attention may be believed.
#include "study/faithful.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "decode/translator.h"
#include "draw/pages.h"
#include "inspect/aligner.h"
#include "inspect/attention_maps.h"
#include "inspect/details.h"
#include "inspect/explain.h"
#include "model/description/traits.h"
#include "run/model_folder.h"
#include "study/attention_matrix.h"
#include "text/pairs.h"

namespace heed {
namespace {

// Half as many lines as for attention alone, because each has as many weights of other evidence as
// of all heads.
constexpr std::size_t kLines = text::kLinesOfAllHeads / 2;
using config::AttentionKind;

struct FaithfulArgs {
  std::string model, source, target, gold, output, html;
  int64_t draws = 10, steps = inspect::ExplainOptions{}.steps;
  inspect::GoldForm form;
  ModelOptions common;
};

using Matrices = std::vector<study::AttentionMatrix>;

/// Attention and evidence of the lines that are measured together, one element for each line.
struct MeasuredLines {
  std::vector<Matrices> attention, evidence;
  std::vector<std::vector<study::PermutedHead>> permuted;
};

MeasuredLines look(decode::Translator& translator, const text::Pairs& pairs,
                   const model::Traits& traits, int64_t first, const FaithfulArgs& args,
                   ProgressBar& bar) {
  const std::size_t lines = pairs.source.size();
  MeasuredLines seen{std::vector<Matrices>(lines), std::vector<Matrices>(lines), {}};
  seen.permuted.resize(lines);
  // The kinds are in the order of the report. Attention and each of them count alike.
  constexpr std::array kEvidence{AttentionKind::erasure, AttentionKind::integrated,
                                 AttentionKind::saliency};
  const double part = static_cast<double>(lines) / static_cast<double>(1 + kEvidence.size());
  if (traits.attends()) {
    const inspect::AttentionRequest request{.kinds = traits.kinds,
                                            .heads = {inspect::kEvery, inspect::kMeanOfHeads}};
    auto maps = inspect::attention_maps(translator, pairs.source, pairs.target, request, first);
    for (std::size_t i = 0; i < lines; ++i) {
      Matrices& all = maps[i].matrices;
      if (traits.layers(AttentionKind::decoder) > 0 && !all.empty())
        seen.evidence[i].push_back(study::rollout(all));
      std::erase_if(all, [](const auto& one) { return one.kind != AttentionKind::cross; });
      seen.attention[i] = std::move(all);
    }
    seen.permuted =
        inspect::permuted_outputs(translator, pairs.source, pairs.target, args.draws, first);
  }
  bar.add(part);
  for (const AttentionKind kind : kEvidence) {
    auto all = inspect::explain(translator, pairs.source, pairs.target,
                                {.evidence = kind, .steps = args.steps}, first);
    for (std::size_t i = 0; i < lines; ++i)
      if (!all[i].matrix.weights.empty())
        seen.evidence[i].push_back(study::shares_of(std::move(all[i].matrix)));
    bar.add(part);
  }
  return seen;
}

std::vector<std::string> notes_of(const FaithfulArgs& args, const study::FaithfulReport& report) {
  std::vector<std::string> notes = {
      fmt::format("Model {}, which read {} with {}: {}.", args.model, args.source, args.target,
                  counted(report.sentences(), "sentence")),
      fmt::format(
          "{} of each row of weights; {} of integrated gradients, or more until rows add up.",
          counted(args.draws, "permutation"), counted(args.steps, "step"))};
  if (report.has_gold()) notes.push_back(fmt::format("Gold alignments: {}.", args.gold));
  return notes;
}

void faithful(const FaithfulArgs& args) {
  require_writable({args.output, args.html});
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  text::require_pairs(pairs, args.source);
  inspect::ComparableGold gold(inspect::read_gold(args.gold, pairs, args.form), args.gold);
  const run::ModelFolder folder = run::open_model(args.model, args.common.open());
  decode::Translator translator = folder.translator();
  const model::Traits traits = model::traits(folder.config.model);
  study::FaithfulReport report;
  const text::Pairs readable = inspect::without_long_pairs(translator, pairs, args.source);
  ProgressBar bar("sentences read", std::ssize(readable.source));
  for (const text::PairChunk& chunk : text::chunks_of(readable, kLines)) {
    const MeasuredLines seen =
        look(translator, chunk.pairs, traits, static_cast<int64_t>(chunk.first) + 1, args, bar);
    for (std::size_t i = 0; i < seen.attention.size(); ++i) {
      const std::size_t line = chunk.first + i;
      report.add(
          {.attention = seen.attention[i],
           .evidence = seen.evidence[i],
           .permuted = seen.permuted[i],
           .gold = gold.of(line, seen.evidence[i], chunk.pairs.source[i], chunk.pairs.target[i])},
          fmt::format("{}:{}", args.source, line + 1));
    }
  }
  bar.end();
  if (report.sentences() == 0)
    throw UserError("faithful: all pairs of {} are too long for the model; give shorter ones",
                    args.source);
  gold.tell(args.model);
  if (!args.output.empty()) write_atomic(args.output, study::faithful_csv(report));
  if (!args.html.empty()) {
    write_atomic(args.html,
                 draw::faithful_page(report, folder_name(args.model), notes_of(args, report)));
    log::info("page: " + args.html);
  }
  std::cout << study::faithful_table(report);
}

}  // namespace

void add_faithful(CommandLine& program) {
  auto [command, args] = program.command("faithful", faithful);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.input("--source", args->source, "Source sentences, one per line").required();
  command.input("--target", args->target, "Their translations, line by line").required();
  const Argument gold =
      command.input("--gold", args->gold, "Gold alignments (Pharaoh i-j), for error rates");
  add_gold_form(command, args->form, &gold);
  command.group("Measuring");
  command
      .option("--draws", args->draws,
              "Permutations of each row of weights, whose effect is measured")
      .positive();
  command
      .option("--integration-steps", args->steps,
              "Smallest number of steps of integrated gradients; more are added until rows add up")
      .positive();
  command.former_option("--steps", "--integration-steps", args->steps).positive();
  command.group("Output");
  command.output("-o,--output", args->output, "Write the numbers here as CSV");
  command.output("--html", args->html, "Write a page here: which heads may be believed, and why");
  args->common.add(command);
  command.examples(
      {"heed faithful runs/demo/transformer --source data/demo/valid.src --target "
       "data/demo/valid.tgt --gold data/demo/valid.align --html faithful.html",
       "heed faithful runs/demo/none --source data/demo/valid.src --target data/demo/valid.tgt"});
}

}  // namespace heed
