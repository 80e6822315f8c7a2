// heed heads MODEL: what each attention head of each layer does.
#include "study/heads.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "decode/translator.h"
#include "inspect/aligner.h"
#include "inspect/details.h"
#include "inspect/heads.h"
#include "model/description/traits.h"
#include "run/inspect_folder.h"
#include "run/model_folder.h"
#include "study/pronouns.h"
#include "text/pairs.h"

namespace heed {
namespace {

using config::AttentionKind;

struct HeadsArgs {
  std::string model, source, target, gold, antecedents, output;
  std::vector<std::string> kind_names, separators;
  double threshold = 50;
  inspect::GoldForm form;
  bool words = false, json = false, ablate = false, no_bleu = false;
  ModelOptions common;
};

/// Throws UserError for --gold that no head of --kind has a use for: cross-attention has links, and
/// the decoder what is linked to an antecedent.
void require_use_of_gold(const HeadsArgs& args) {
  const std::vector<AttentionKind> kinds = kinds_of(args.kind_names);
  const auto chosen = [&](AttentionKind kind) { return std::ranges::count(kinds, kind) > 0; };
  if (kinds.empty() || chosen(AttentionKind::cross)) return;
  if (args.gold.empty()) {
    if (args.antecedents.empty() || chosen(AttentionKind::encoder)) return;
    throw UserError(
        "--antecedents: --kind decoder finds them through the links of --gold; add that, or "
        "encoder to --kind");
  }
  if (chosen(AttentionKind::decoder) && !args.antecedents.empty()) return;
  throw UserError(
      "--gold: not used by --kind {}; add cross, or decoder with --antecedents, or leave --gold "
      "out",
      join(args.kind_names, ","));
}

/// Returns the separators as they were typed, without the blanks around each.
std::set<std::string> separators_of(const HeadsArgs& args) {
  std::set<std::string> words;
  for (const std::string& typed : args.separators) {
    if (split_words(typed).size() != 1)
      throw UserError("--separators: '{}' is not one word; separate words by commas",
                      one_line(typed));
    words.emplace(trim(typed));
  }
  return words;
}

void ablate(const HeadsArgs& args, const text::Pairs& pairs) {
  const run::ModelFolder folder = run::open_model(args.model, args.common.open());
  inspect::HeadTrial trial(run::tried_model(folder), pairs);
  const inspect::AblatedHeads rows = inspect::ablated_heads(trial, /*translate=*/!args.no_bleu);
  if (!args.output.empty()) write_atomic(args.output, rows.csv);
  std::cout << rows.table;
}

void heads(const HeadsArgs& args) {
  require_use_of_gold(args);
  require_writable({args.output});
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  text::require_pairs(pairs, args.source);
  if (args.ablate) return ablate(args, pairs);
  study::HeadOptions options{
      .separators = separators_of(args), .words = args.words, .threshold = args.threshold / 100};
  inspect::HeadRequest request{
      .kinds = kinds_of(args.kind_names),
      .options = std::move(options),
      .gold = {inspect::read_gold(args.gold, pairs, args.form), args.gold}};
  if (const std::string& path = args.antecedents; !path.empty()) {
    request.antecedents =
        study::parse_antecedents(text::read_lines(path), pairs.source.size(), path);
    request.antecedents_name = path;
  }
  const run::ModelFolder folder = run::open_model(args.model, args.common.open());
  if (request.kinds.empty()) request.kinds = model::traits(folder.config.model).kinds;
  decode::Translator translator = folder.translator();
  const study::HeadReport report =
      inspect::head_report(translator, pairs, std::move(request), args.source, args.model);
  if (!args.output.empty()) write_atomic(args.output, study::heads_csv(report));
  std::cout << (args.json ? study::heads_json(report) : study::heads_table(report));
}

}  // namespace

void add_heads(CommandLine& program) {
  auto [command, args] = program.command("heads", heads);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.input("--source", args->source, "Source sentences").required();
  command.input("--target", args->target, "Their translations, line by line").required();
  const Argument gold = command.input(
      "--gold", args->gold,
      "Correct alignments (i-j, i?j); shows which heads attend to the aligned word, or to the "
      "aligned word of the word before or after");
  add_gold_form(command, args->form, &gold);
  const Argument antecedents =
      command.input("--antecedents", args->antecedents,
                    "What pronouns stand for, in the format of data_scripts/demo_corpus.py");
  command.group("Which weights");
  const Argument kinds = command
                             .list("--kind", args->kind_names,
                                   "encoder, decoder or cross; several separated by commas")
                             .one_of(config::names_of(config::kAttentionKinds))
                             .shows_default("all that the model has");
  command.group("Measuring");
  const Argument separators =
      command.list("--separators", args->separators,
                   "Words that count as separators besides punctuation, separated by commas");
  const Argument threshold =
      command
          .option("--threshold", args->threshold,
                  "A head has a role if at least this share of its rows agree, in per cent")
          .between(0.0, 100.0);
  const Argument words = command.flag("--words", args->words, "Measure words instead of pieces");
  const Argument silencing =
      command
          .flag("--ablate", args->ablate,
                "Switch off each head, and each layer's heads, in turn: change of loss and BLEU")
          .excludes({gold, antecedents, kinds, separators, threshold, words});
  command.flag("--no-bleu", args->no_bleu, "With --ablate, measure only the loss, which is faster")
      .needs(silencing);
  command.group("Output");
  command.output("-o,--output", args->output, "Write the numbers here, as CSV");
  command.flag("--json", args->json, "Print JSON instead of tables").excludes({silencing});
  args->common.add(command);
  command.examples(
      {"heed heads runs/demo/transformer --source data/demo/test.src --target data/demo/test.tgt "
       "--gold data/demo/test.align --antecedents data/demo/test.antecedents "
       "--separators and,but,because",
       "heed heads runs/demo/transformer --source data/demo/test.src --target data/demo/test.tgt "
       "--ablate -o ablation.csv"});
}

}  // namespace heed
