// heed score MODEL SOURCE TARGET: log-probabilities of given pairs.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/shared/options.h"
#include "apps/shared/pairs.h"
#include "base/log.h"
#include "decode/translator.h"

namespace heed {
namespace {

struct ScoreArgs {
  std::string model, source, target;
  ModelOptions common;
};

void score_command(const ScoreArgs& args) {
  const ModelFolder folder = open_model(args.model, args.common.open());
  const Pairs pairs = read_pairs(args.source, args.target);
  decode::Translator translator({folder.member()}, folder.config.decoding, folder.device,
                                folder.precision);
  double total = 0;
  int64_t tokens = 0;
  for (const auto& result : translator.score(pairs.source, pairs.target)) {
    std::printf("%.6f\n", result.log_probability);
    total += result.log_probability;
    tokens += static_cast<int64_t>(result.tokens.size());
  }
  std::fflush(stdout);
  char summary[160];
  std::snprintf(summary, sizeof summary,
                "%zu pairs, %lld pieces, log-probability %.4f, perplexity %.4f per piece",
                pairs.source.size(), static_cast<long long>(tokens), total,
                tokens > 0 ? std::exp(-total / tokens) : 1.0);
  log::info(summary);
}

}  // namespace

void add_score(CLI::App& app) {
  auto args = std::make_shared<ScoreArgs>();
  CLI::App* command =
      app.add_subcommand("score", "Log-probability of each given translation, one number a line");
  command->add_option("model", args->model, "Folder that `heed train` wrote")->required();
  command->add_option("source", args->source, "Source sentences")->required();
  command->add_option("target", args->target, "Their translations, line by line")->required();
  args->common.add(*command);
  command->footer(
      "Example:\n  heed score runs/demo/bahdanau data/demo/test.src data/demo/test.tgt");
  command->callback([args] { score_command(*args); });
}

}  // namespace heed
