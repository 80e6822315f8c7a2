// heed heads MODEL: what each attention head of each layer does.
#include "study/heads.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include "apps/commands.h"
#include "apps/shared/aligner.h"
#include "apps/shared/attention_maps.h"
#include "apps/shared/options.h"
#include "apps/shared/pairs.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace heed {
namespace {

// Lines whose matrices, all heads of all layers, are in memory at once.
constexpr std::size_t kWindow = 64;

struct HeadsArgs {
  std::string model, source, target, gold, antecedents, output;
  std::vector<std::string> kinds, separators;
  double threshold = 50;
  bool words = false, swapped = false, json = false;
  ModelOptions common;
};

/// The kinds asked for, or all that the model has.
decode::AttentionRequest request_of(const HeadsArgs& args, const Config& config) {
  if (!args.kinds.empty()) return every_head_of(args.kinds);
  const bool self = config.model.type == model::ModelType::transformer;
  return {.encoder = self, .decoder = self, .cross = true};
}

void heads(const HeadsArgs& args) {
  const Pairs pairs = read_pairs(args.source, args.target);
  const std::size_t lines = pairs.source.size();
  std::vector<study::GoldAlignment> links;
  std::vector<std::vector<study::Antecedent>> antecedents;
  if (!args.gold.empty()) links = read_gold(args.gold, lines, args.swapped);
  if (!args.antecedents.empty())
    antecedents = study::parse_antecedents(read_lines(args.antecedents), lines, args.antecedents);

  const ModelFolder folder = open_model(args.model, args.common.open());
  decode::Translator translator({folder.member()}, folder.config.decoding, folder.device,
                                folder.precision);
  const decode::AttentionRequest request = request_of(args, folder.config);
  study::HeadReport report({.separators = {args.separators.begin(), args.separators.end()},
                            .words = args.words,
                            .threshold = args.threshold / 100});
  for (const PairWindow& window : windows_of(pairs, kWindow)) {
    const auto sentences =
        decode::attention_maps(translator, window.pairs.source, window.pairs.target, request,
                               static_cast<int64_t>(window.first) + 1);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::size_t line = window.first + i;
      report.add(to_matrices(sentences[i], static_cast<int64_t>(line) + 1),
                 {.links = links.empty() ? nullptr : &links[line],
                  .antecedents = antecedents.empty() ? nullptr : &antecedents[line]},
                 args.source + ":" + std::to_string(line + 1));
    }
    log::progress(std::to_string(window.first + sentences.size()) + "/" + std::to_string(lines) +
                  " sentences read");
  }
  log::clear_progress();
  if (!args.output.empty()) write_atomic(args.output, study::heads_csv(report));
  std::cout << (args.json ? study::heads_json(report) : study::heads_table(report));
}

}  // namespace

void add_heads(CLI::App& app) {
  auto args = std::make_shared<HeadsArgs>();
  CLI::App* command = app.add_subcommand(
      "heads", "How sharp each attention head is, how far it looks, and what it looks at");
  command->add_option("model", args->model, "Folder that `heed train` wrote")->required();
  command->add_option("--source", args->source, "Source sentences")->required();
  command->add_option("--target", args->target, "Their translations, line by line")->required();
  command->add_option("--gold", args->gold,
                      "Correct alignments (i-j, i?j): who looks at the aligned word, or at that of "
                      "the word before or after");
  command->add_flag("--swap-gold", args->swapped, "The gold file counts target-source");
  command->add_option("--antecedents", args->antecedents,
                      "What pronouns stand for, as data_scripts/demo_corpus.py writes it");
  add_kinds(*command, args->kinds)->default_str("all there are");
  command
      ->add_option("--separators", args->separators,
                   "Words that count as separators besides punctuation, separated by commas")
      ->delimiter(',');
  command
      ->add_option("--threshold", args->threshold,
                   "A role is named from this share of the rows on, in per cent")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag("--words", args->words, "Measure words instead of pieces");
  command->add_option("-o,--output", args->output, "Write the numbers here, as CSV");
  command->add_flag("--json", args->json, "Print JSON instead of tables");
  args->common.add(*command);
  command->footer(
      "Example:\n  heed heads runs/demo/transformer --source data/demo/test.src --target "
      "data/demo/test.tgt \\\n      --gold data/demo/test.align --antecedents "
      "data/demo/test.antecedents --separators and,but,because");
  command->callback([args] { heads(*args); });
}

}  // namespace heed
