#include "apps/shared/head_trial.h"

#include <numeric>
#include <utility>

#include "base/error.h"
#include "decode/translator.h"

namespace heed {

HeadTrial::HeadTrial(const std::string& model, const run::OpenOptions& options, Pairs pairs)
    : folder_(run::open_model(model, options)), pairs_(std::move(pairs)) {
  if (folder_.config.model.type != model::ModelType::transformer)
    throw UserError(model + ": is no Transformer, and only a Transformer's heads can be silenced");
  heads_ = model::heads_of(folder_.config.model);
  for (const std::string& target : pairs_.target)
    pieces_ += static_cast<double>(folder_.target.encode(target).size() + 1);
}

std::vector<double> HeadTrial::losses(const Heads& silenced) {
  const model::Silenced silence(*folder_.model, folder_.config.model, silenced);
  decode::Translator translator = folder_.translator();
  std::vector<double> out;
  for (const auto& score : translator.score(pairs_.source, pairs_.target))
    out.push_back(-score.log_probability);
  return out;
}

double HeadTrial::loss(const Heads& silenced) {
  const std::vector<double> all = losses(silenced);
  return std::accumulate(all.begin(), all.end(), 0.0) / pieces_;
}

std::vector<score::BleuStatistics> HeadTrial::bleu(const Heads& silenced) {
  const model::Silenced silence(*folder_.model, folder_.config.model, silenced);
  decode::Translator translator = folder_.translator();
  std::vector<std::string> hypotheses;
  for (auto& translation : translator.translate(pairs_.source))
    hypotheses.push_back(std::move(translation.text));
  const auto& evaluation = folder_.config.evaluation;
  return score::bleu_statistics(hypotheses, pairs_.target,
                                score::known_tokenizer(evaluation.tokenize, pairs_.target),
                                evaluation.lowercase);
}

study::Trial HeadTrial::trial(const std::string& name, const Heads& silenced, bool translate) {
  return {.name = name,
          .losses = losses(silenced),
          .bleu = translate ? bleu(silenced) : std::vector<score::BleuStatistics>()};
}

}  // namespace heed
