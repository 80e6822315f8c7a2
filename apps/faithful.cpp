// heed faithful MODEL: which pictures of attention may be believed.
#include "study/faithful.h"

#include <iostream>
#include <memory>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "apps/shared/aligner.h"
#include "apps/shared/attention_maps.h"
#include "apps/shared/pairs.h"
#include "base/files.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "decode/permute.h"
#include "draw/faithful_page.h"
#include "model/model.h"
#include "study/rollout.h"

namespace heed {
namespace {

// Lines whose matrices are in memory at once.
constexpr std::size_t kWindow = 32;

struct FaithfulArgs {
  std::string model, source, target, gold, output, html;
  int64_t draws = 10, steps = decode::ExplainOptions{}.steps;
  GoldForm form;
  ModelOptions common;
};

using Matrices = std::vector<study::AttentionMatrix>;

/// Of a window of lines, what is measured of each.
struct Seen {
  std::vector<Matrices> attention, evidence;
  std::vector<std::vector<study::PermutedHead>> permuted;
};

Seen look(decode::Translator& translator, const Pairs& pairs, bool transformer, int64_t first,
          const FaithfulArgs& args, ProgressBar& bar) {
  const std::size_t lines = pairs.source.size();
  Seen seen{std::vector<Matrices>(lines), std::vector<Matrices>(lines), {}};
  seen.permuted.resize(lines);
  const auto& kinds = evidence_by_name();
  // Attention and each kind of evidence count alike.
  const double part = static_cast<double>(lines) / static_cast<double>(1 + kinds.size());
  if (translator.first().model->attends()) {
    decode::AttentionRequest request{.encoder = transformer, .decoder = transformer};
    request.heads = {decode::kEvery, decode::kMeanOfHeads};
    const auto maps =
        decode::attention_maps(translator, pairs.source, pairs.target, request, first);
    for (std::size_t i = 0; i < lines; ++i) {
      const auto all = to_matrices(maps[i], first + static_cast<int64_t>(i));
      if (transformer && !all.empty()) seen.evidence[i].push_back(study::rollout(all));
      for (const auto& matrix : all)
        if (matrix.kind == "cross") seen.attention[i].push_back(matrix);
    }
    const auto moved = decode::permuted_outputs(translator, pairs.source, pairs.target,
                                                {.draws = args.draws}, first);
    for (std::size_t i = 0; i < lines; ++i)
      for (const decode::MovedOutput& one : moved[i])
        seen.permuted[i].push_back({one.layer, one.head, one.distance});
  }
  bar.add(part);
  for (const auto& [name, kind] : kinds) {
    const auto all = decode::explain(translator, pairs.source, pairs.target,
                                     {.evidence = kind, .steps = args.steps}, first);
    for (std::size_t i = 0; i < lines; ++i)
      if (!all[i].values.empty())
        seen.evidence[i].push_back(
            study::shares_of(to_matrix(all[i], name, first + static_cast<int64_t>(i))));
    bar.add(part);
  }
  return seen;
}

draw::FaithfulPage page_of(const FaithfulArgs& args, const study::FaithfulReport& report) {
  draw::FaithfulPage page{.model = folder_name(args.model), .notes = {}};
  page.notes.push_back("Model " + args.model + ", which read " + args.source + " with " +
                       args.target + ": " + counted(report.sentences(), "sentence") + ".");
  page.notes.push_back(counted(args.draws, "permutation") + " of each row of weights; " +
                       counted(args.steps, "step") +
                       " of integrated gradients, or more until rows add up.");
  if (report.has_gold()) page.notes.push_back("Gold alignments: " + args.gold + ".");
  return page;
}

void faithful(const FaithfulArgs& args) {
  require_writable({args.output, args.html});
  const Pairs pairs = read_pairs(args.source, args.target);
  require_pairs(pairs, args.source);
  ComparableGold gold(read_gold(args.gold, pairs, args.form), args.gold);
  const run::ModelFolder folder = run::open_model(args.model, args.common.open());
  decode::Translator translator = folder.translator();
  const bool transformer = folder.config.model.type == model::ModelType::transformer;
  study::FaithfulReport report;
  const Pairs readable = without_long_pairs(translator, pairs, args.source);
  ProgressBar bar("sentences read", std::ssize(readable.source));
  for (const PairWindow& window : windows_of(readable, kWindow)) {
    const Seen seen = look(translator, window.pairs, transformer,
                           static_cast<int64_t>(window.first) + 1, args, bar);
    for (std::size_t i = 0; i < seen.attention.size(); ++i) {
      const std::size_t line = window.first + i;
      report.add(
          {.attention = seen.attention[i],
           .evidence = seen.evidence[i],
           .permuted = seen.permuted[i],
           .gold = gold.of(line, seen.evidence[i], window.pairs.source[i], window.pairs.target[i])},
          args.source + ":" + std::to_string(line + 1));
    }
  }
  bar.end();
  gold.tell(args.model);
  if (!args.output.empty()) write_atomic(args.output, study::faithful_csv(report));
  if (!args.html.empty()) {
    write_atomic(args.html, draw::faithful_page(report, page_of(args, report)));
    log::info("page: " + args.html);
  }
  std::cout << study::faithful_table(report);
}

}  // namespace

void add_faithful(CommandLine& program) {
  auto args = std::make_shared<FaithfulArgs>();
  CommandLine command = program.command(
      "faithful", "Measure how far attention agrees with other evidence: gradients and erasure");
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.option("--source", args->source, "Source sentences, one per line").required();
  command.option("--target", args->target, "Their translations, line by line").required();
  const Argument gold =
      command.option("--gold", args->gold, "Gold alignments (Pharaoh i-j), for error rates");
  args->form.add(command, &gold);
  command.group("Measuring");
  command
      .option("--draws", args->draws,
              "Permutations of each row of weights, whose effect is measured")
      .positive()
      .shows_default();
  command
      .option("--steps", args->steps,
              "Least steps of integrated gradients; more are added until rows add up")
      .positive()
      .shows_default();
  command.group("Output");
  command.output("-o,--output", args->output, "Write the numbers here as CSV");
  command.output("--html", args->html, "Write a page here: which heads may be believed, and why");
  args->common.add(command);
  command.examples(
      {"heed faithful runs/demo/transformer --source data/demo/valid.src --target "
       "data/demo/valid.tgt --gold data/demo/valid.align --html faithful.html",
       "heed faithful runs/demo/none --source data/demo/valid.src --target data/demo/valid.tgt"});
  command.run([args] { faithful(*args); });
}

}  // namespace heed
