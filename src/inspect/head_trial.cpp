#include "inspect/head_trial.h"

#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/progress_bar.h"
#include "model/traits.h"
#include "score/tokenizer.h"

namespace heed::inspect {

HeadTrial::HeadTrial(TriedModel tried, text::Pairs pairs)
    : tried_(std::move(tried)), pairs_(std::move(pairs)) {
  if (!model::traits(tried_.config).has_self_attention)
    throw UserError(tried_.name +
                    ": is no Transformer, and only a Transformer's heads can be silenced");
  heads_ = model::heads_of(tried_.config);
  for (const std::string& target : pairs_.target)
    pieces_ += static_cast<double>(tried_.member.target.encode(target).size() + 1);
}

std::vector<double> HeadTrial::losses(const Heads& silenced) {
  const model::Silenced silence(*tried_.member.model, tried_.config, silenced);
  decode::Translator translator = tried_.translator();
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
  const model::Silenced silence(*tried_.member.model, tried_.config, silenced);
  decode::Translator translator = tried_.translator();
  std::vector<std::string> hypotheses;
  for (auto& translation : translator.translate(pairs_.source))
    hypotheses.push_back(std::move(translation.text));
  const score::EvaluationConfig& evaluation = tried_.evaluation;
  return score::bleu_statistics(hypotheses, pairs_.target,
                                score::known_tokenizer(evaluation.tokenize, pairs_.target),
                                evaluation.lowercase);
}

study::Trial HeadTrial::trial(const std::string& name, const Heads& silenced, bool translate) {
  return {.name = name,
          .losses = losses(silenced),
          .bleu = translate ? bleu(silenced) : std::vector<score::BleuStatistics>()};
}

namespace {

/// "encoder.0" -> its heads, where there are several.
std::map<std::string, HeadTrial::Heads> by_layer(const HeadTrial::Heads& heads) {
  std::map<std::string, HeadTrial::Heads> layers;
  for (const model::HeadIndex& head : heads) {
    const std::string name = model::name_of(head);
    layers[name.substr(0, name.rfind('.'))].push_back(head);
  }
  std::erase_if(layers, [](const auto& layer) { return layer.second.size() < 2; });
  return layers;
}

}  // namespace

AblatedHeads ablated_heads(HeadTrial& trial, bool translate) {
  std::vector<std::pair<std::string, HeadTrial::Heads>> wanted;
  for (const model::HeadIndex& head : trial.heads())
    wanted.emplace_back(model::name_of(head), HeadTrial::Heads{head});
  for (auto& [name, heads] : by_layer(trial.heads())) wanted.emplace_back(name + ", all", heads);
  ProgressBar bar("heads and layers silenced", std::ssize(wanted));
  const study::Trial whole = trial.trial("nothing", {}, translate);
  std::vector<study::Trial> silenced;
  for (const auto& [name, heads] : wanted) {
    silenced.push_back(trial.trial(name, heads, translate));
    bar.add();
  }
  const auto rows = study::compare_trials(whole, silenced, trial.pieces());
  return {study::ablation_table(whole, rows, trial.pieces()), study::ablation_csv(rows)};
}

}  // namespace heed::inspect
