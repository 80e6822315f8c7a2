// heed score MODEL SOURCE TARGET: log-probabilities of given pairs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/options.h"
#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/search/reading.h"
#include "decode/translator.h"
#include "inspect/details.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "study/alignment.h"
#include "study/attention_matrix.h"
#include "study/flags.h"
#include "text/copies.h"
#include "text/pairs.h"
#include "text/script.h"
#include "text/tsv.h"
#include "text/utf8.h"

namespace heed {
namespace {

struct ScoreArgs {
  std::string model, source, target;
  bool flags = false;
  ModelOptions common;
};

using Scores = std::span<const decode::Translator::TargetScore>;

/// Computes the flags of pairs, also by their attention where the model attends.
class PairFlags {
 public:
  /// `pairs`: all pairs, from which the words that the languages have in common are learned unless
  /// the model's configuration has them.
  PairFlags(decode::Translator& translator, const run::Config& config, const text::Pairs& pairs)
      : translator_(translator), script_(inspect::script_of(translator.first_text().target)) {
    copies_.usual = config.data.common_words;
    if (copies_.usual == 0) {
      text::CopyLearner learner;
      for (std::size_t i = 0; i < pairs.source.size(); ++i)
        learner.learn(pairs.source[i], pairs.target[i]);
      copies_ = learner.limit();
      if (const std::string doubt = learner.doubt(); !doubt.empty()) log::warn("{}", doubt);
    }
    if (!model::traits(config.model).attends()) return;
    const study::AlignmentChoice choice = run::usual_choice(config);
    request_ = decode::AttentionRequest{.layers = {choice.layer}, .heads = {choice.head}};
  }

  std::vector<std::string> of(const text::Pairs& pairs, Scores scores) const {
    std::vector<study::AttendedSentence> read(pairs.source.size());
    if (request_) read = decode::attention_maps(translator_, pairs.source, pairs.target, *request_);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < read.size(); ++i) {
      study::JudgedPair pair{
          .source = pairs.source[i], .translation = pairs.target[i], .forced = true};
      pair.source_pieces = std::ssize(translator_.first_text().source.encode(pairs.source[i]));
      pair.target_pieces = std::ssize(scores[i].tokens) - 1;
      pair.log_probability = scores[i].log_probability;
      pair.script = script_;
      pair.copies = copies_;
      if (!read[i].matrices.empty())
        pair.attention = study::received_attention(study::merge_words(read[i].matrices.front()));
      out.push_back(study::joined(study::flags_of(pair)));
    }
    return out;
  }

 private:
  decode::Translator& translator_;
  text::Script script_;
  text::CopyLimit copies_;
  std::optional<decode::AttentionRequest> request_;  // none: the model does not attend
};

void score_command(const ScoreArgs& args) {
  text::require_both_sides("score", args.source, args.target);
  const run::OpenModels models = run::open_models(args.model, args.common.open());
  const text::Pairs pairs = text::read_pairs(args.source, args.target);
  if (pairs.source.empty()) throw UserError("score: {} is empty; no pair to score", args.source);
  decode::Translator translator = models.translator();
  double total = 0;
  int64_t tokens = 0, measured = 0;  // of pairs that are not blank
  const auto scores = translator.score(pairs.source, pairs.target);
  std::vector<std::string> flags;
  if (args.flags) {
    const PairFlags pair_flags(translator, models.first.config, pairs);
    for (const text::PairChunk& chunk : text::chunks_of(pairs))
      std::ranges::move(pair_flags.of(chunk.pairs, Scores(scores).subspan(
                                                       chunk.first, chunk.pairs.source.size())),
                        std::back_inserter(flags));
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::cout << fixed(scores[i].log_probability, 6) << (args.flags ? "\t" + flags[i] : "") << '\n';
    if (text::is_blank(pairs.source[i]) && text::is_blank(pairs.target[i])) continue;
    ++measured;
    total += scores[i].log_probability;
    tokens += std::ssize(scores[i].tokens);
  }
  log::info("{}, {}, log-probability {:.4f}, perplexity {:.4f} per piece",
            counted(measured, "pair"), counted(tokens, "piece"), total,
            tokens > 0 ? std::exp(-total / tokens) : 1.0);
}

}  // namespace

void add_score(CommandLine& program) {
  auto [command, args] = program.command("score", score_command);
  add_models(command, args->model);
  command.option("source", args->source, "Source sentences, or one .tsv file of both sides")
      .required();
  command.option("target", args->target, "Their translations, line by line");
  command.group("Output");
  command.flag("--flags", args->flags,
               "Print a tab and what is suspicious about each pair after its score, - for nothing");
  args->common.add(command);
  command.examples(
      {"heed score runs/demo/bahdanau data/demo/test.src data/demo/test.tgt",
       "heed score runs/multi30k_quick data/multi30k/test2016.de data/multi30k/test2016.en"});
}

}  // namespace heed
