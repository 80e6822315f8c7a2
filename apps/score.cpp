// heed score MODEL SOURCE TARGET: log-probabilities of given pairs.
#include <iostream>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/translator.h"
#include "run/model_folder.h"
#include "text/pairs.h"

namespace heed {
namespace {

struct ScoreArgs {
  std::string model, source, target;
  ModelOptions common;
};

void score_command(const ScoreArgs& args) {
  const run::OpenModels models = run::open_models(args.model, args.common.open());
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  decode::Translator translator = models.translator();
  double total = 0;
  int64_t tokens = 0;
  for (const auto& result : translator.score(pairs.source, pairs.target)) {
    std::cout << fixed(result.log_probability, 6) << '\n';
    total += result.log_probability;
    tokens += static_cast<int64_t>(result.tokens.size());
  }
  log::info("{} pairs, {} pieces, log-probability {:.4f}, perplexity {:.4f} per piece",
            pairs.source.size(), tokens, total, tokens > 0 ? std::exp(-total / tokens) : 1.0);
}

}  // namespace

void add_score(CommandLine& program) {
  auto [command, args] = program.command("score", score_command);
  add_models(command, args->model);
  command.option("source", args->source, "Source sentences").required();
  command.option("target", args->target, "Their translations, line by line").required();
  args->common.add(command);
  command.examples(
      {"heed score runs/demo/bahdanau data/demo/test.src data/demo/test.tgt",
       "heed score runs/multi30k_quick data/multi30k/test2016.de data/multi30k/test2016.en"});
}

}  // namespace heed
