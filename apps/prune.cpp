// heed prune MODEL: takes out the heads that a Transformer can do without.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/strings.h"
#include "inspect/heads.h"
#include "model/description/config.h"
#include "model/model.h"
#include "model/pointer.h"
#include "model/transformer/heads.h"
#include "model/weights.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/inspect_folder.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "text/pairs.h"
#include "text/table.h"
#include "train/losses.h"

namespace heed {
namespace {

using Heads = inspect::HeadTrial::Heads;

struct PruneArgs {
  std::string model, source, target, output;
  std::vector<std::string> heads;
  double keep = 99;
  ModelOptions common;
};

/// A head that stays: the configuration would not be valid without it.
struct NeededHead {
  model::HeadIndex head;
  std::string why;  // "was taught by KEY"
};

/// The head that a loss of attention taught, and the one that links words by decoding.alignment.
std::vector<NeededHead> needed_heads(const run::Config& config) {
  std::vector<NeededHead> needed;
  std::vector<std::string> keys;
  for (const train::AuxiliaryLoss& loss : train::auxiliary_losses(config.training))
    if (loss.attends()) keys.push_back("training." + loss.key);
  if (!keys.empty())
    needed.push_back({{model::AttentionKind::cross,
                       model::decoder_layer(config.model, config.training.taught_layer),
                       config.training.taught_head},
                      "was taught by " + join(keys, " and ")});
  if (const int64_t head = config.decoding.alignment.head; head >= 0)
    needed.push_back({{model::AttentionKind::cross, run::alignment_layer(config), head},
                      "links words by decoding.alignment.head"});
  return needed;
}

void print(const std::vector<inspect::PruningStep>& steps, std::size_t heads) {
  text::Table table{{"heads left", "taken out", "loss", "BLEU"}, {}};
  for (const inspect::PruningStep& step : steps)
    table.rows.push_back({std::to_string(heads - table.rows.size()),
                          step.head ? model::name_of(*step.head) : "", fixed(step.loss, 4),
                          fixed(step.bleu, 2)});
  std::cout << text::table_text(table, {1});
}

Heads named_heads(const std::vector<std::string>& names, const Heads& all,
                  const std::vector<NeededHead>& needed) {
  Heads out;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(
        all, name, [](const model::HeadIndex& head) { return model::name_of(head); });
    if (found == all.end())
      throw UserError("--heads: there is no head {}; the first of this model is {}", name,
                      model::name_of(all.front()));
    const auto why = std::ranges::find(needed, *found, &NeededHead::head);
    if (why != needed.end()) throw UserError("--heads: {} {}; name others", name, why->why);
    out.push_back(*found);
  }
  return out;
}

void write(const run::ModelFolder& from, const Heads& gone, const std::string& output) {
  run::Config config = run::saved_config(from.path);  // --set and --device are for the search
  const model::ModelConfig whole = config.model;
  for (const model::HeadIndex& head : gone)
    config.model.pruned_heads.push_back(model::name_of(head));
  model::check(config.model, from.source.fingerprint() == from.target.fingerprint());
  const model::ModelPtr smaller = model::make_model(config.model, from.sizes());
  from.model->to(at::kCPU);
  model::copy_without_heads(*from.model, whole, *smaller, config.model);
  run::write_model({from.source, from.target}, config, model::named_weights(*smaller), output);
  log::info("{}: {} taken out, {} -> {} parameters", output, counted(std::ssize(gone), "head"),
            human_count(static_cast<double>(model::count_parameters(*from.model))),
            human_count(static_cast<double>(model::count_parameters(*smaller))));
}

void prune(const PruneArgs& args) {
  run::require_no_model(args.output);
  if (args.heads.empty() == args.source.empty())
    throw UserError(
        "prune: give --source and --target to find the heads by, or name them with --heads");
  if (args.source.empty() != args.target.empty())
    throw UserError("prune: --source and --target belong together");
  text::Pairs pairs;
  if (!args.source.empty()) {
    pairs = text::read_pairs(args.source, args.target);
    text::require_pairs(pairs, args.source);
  }
  const run::ModelFolder folder = run::open_model(args.model, args.common.open());
  inspect::HeadTrial trial(run::tried_model(folder), std::move(pairs));
  const model::ModelConfig& model = folder.config.model;
  if (model.kv_heads != 0 && model.kv_heads != model.heads)
    throw UserError(args.model +
                    ": its heads share keys (model.kv_heads), and such heads cannot be pruned");
  const std::vector<NeededHead> needed = needed_heads(run::saved_config(folder.path));
  if (!args.heads.empty())
    return write(folder, named_heads(args.heads, trial.heads(), needed), args.output);
  // One that cannot be made is found before the search, which takes long.
  const OutputFolder writable(args.output);
  Heads staying;
  for (const NeededHead& one : needed) staying.push_back(one.head);
  const inspect::Pruning found = inspect::greedy_pruning(trial, args.keep, staying);
  print(found.steps, trial.heads().size());
  write(folder, found.heads, args.output);
}

}  // namespace

void add_prune(CommandLine& program) {
  auto [command, args] = program.command("prune", prune);
  command.model("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.input("--source", args->source, "Source sentences that tell which heads are needed");
  command.input("--target", args->target, "Their translations");
  const Argument heads =
      command.list("--heads", args->heads, "Remove these heads instead: encoder.0.2,cross.1.3");
  command.group("Measuring");
  command.option("--keep", args->keep, "Remove heads as long as this per cent of BLEU remains")
      .between(0.0, 100.0)
      .excludes({heads});
  command.group("Output");
  command.output_folder("-o,--output", args->output, "Folder of the smaller model").required();
  args->common.add(command);
  command.examples(
      {"heed prune runs/demo/transformer --source data/demo/valid.src --target "
       "data/demo/valid.tgt -o runs/demo/fewer_heads",
       "heed prune runs/demo/transformer --heads encoder.0.2,cross.1.3 -o runs/demo/without"});
}

}  // namespace heed
