#include "inspect/heads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "model/description/traits.h"
#include "model/weights.h"
#include "score/bleu_statistics.h"
#include "score/sacrebleu.h"
#include "study/pronouns.h"

namespace heed::inspect {

study::HeadReport head_report(decode::Translator& translator, const text::Pairs& pairs,
                              HeadRequest request, const std::string& source,
                              const std::string& model) {
  study::HeadReport report(request.options);
  const text::Pairs readable = without_long_pairs(translator, pairs, source);
  std::vector<std::size_t> without_antecedents;  // lines whose gold is of other words, from 1
  ProgressBar bar("sentences read", std::ssize(readable.source));
  for (const text::PairChunk& chunk : text::chunks_of(readable)) {
    const text::Pairs& lines = chunk.pairs;
    const auto sentences =
        attention_maps(translator, lines.source, lines.target, {.kinds = request.kinds},
                       static_cast<int64_t>(chunk.first) + 1);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::size_t line = chunk.first + i;
      const auto& matrices = sentences[i].matrices;
      const std::vector<study::Antecedent>* antecedents = nullptr;
      if (!request.antecedents.empty() && !request.antecedents[line].empty()) {
        if (keeps_words(matrices, lines.source[i], lines.target[i]))
          antecedents = &request.antecedents[line];
        else
          without_antecedents.push_back(line + 1);
      }
      report.add(matrices,
                 {.links = request.gold.of(line, matrices, lines.source[i], lines.target[i]),
                  .antecedents = antecedents},
                 fmt::format("{}:{}", source, line + 1));
    }
    bar.add(static_cast<double>(sentences.size()));
  }
  bar.end();
  request.gold.tell(model);
  if (!without_antecedents.empty())
    log::warn(
        "{}: the pronouns of {} left out, line {} of the text first: the vocabulary of {} finds "
        "other words there than the text has",
        request.antecedents_name, counted(std::ssize(without_antecedents), "line"),
        without_antecedents.front(), model);
  return report;
}

HeadTrial::HeadTrial(TriedModel tried, text::Pairs pairs)
    : tried_(std::move(tried)), pairs_(std::move(pairs)) {
  if (!model::traits(tried_.config).has_self_attention)
    throw UserError(tried_.name +
                    ": is no Transformer, and only a Transformer's heads can be silenced");
  heads_ = model::heads_of(tried_.config);
  pairs_ = text::without_blank_pairs(pairs_);
  for (const std::string& target : pairs_.target)
    pieces_ += static_cast<double>(tried_.member.text.target.encode(target).size() + 1);
}

std::vector<double> HeadTrial::losses(const Heads& silenced) {
  const model::Replaced silence = model::silenced(*tried_.member.model, tried_.config, silenced);
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
  const model::Replaced silence = model::silenced(*tried_.member.model, tried_.config, silenced);
  decode::Translator translator = tried_.translator();
  std::vector<std::string> hypotheses;
  for (auto& translation : with_logged_warnings(translator.translate({.lines = pairs_.source})))
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

double bleu_without(HeadTrial& trial, const HeadTrial::Heads& silenced) {
  return score::bleu(score::sum(trial.bleu(silenced))).score;
}

/// Whether its attention keeps another head, and nobody needs this one.
bool may_go(const HeadTrial& trial, const HeadTrial::Heads& needed, const model::HeadIndex& head,
            const HeadTrial::Heads& gone) {
  const auto same = [&](const model::HeadIndex& other) {
    return other.kind == head.kind && other.layer == head.layer;
  };
  return std::ranges::count_if(trial.heads(), same) - std::ranges::count_if(gone, same) > 1 &&
         std::ranges::find(gone, head) == gone.end() &&
         std::ranges::find(needed, head) == needed.end();
}

/// The head whose silence costs least, beside those that are gone; its BLEU is yet to be measured.
std::optional<PruningStep> cheapest(HeadTrial& trial, const HeadTrial::Heads& needed,
                                    const HeadTrial::Heads& gone) {
  std::optional<PruningStep> best;
  HeadTrial::Heads left = trial.heads();
  std::erase_if(left,
                [&](const model::HeadIndex& head) { return !may_go(trial, needed, head, gone); });
  ProgressBar bar("heads tried, to find the next one to remove", std::ssize(left));
  for (const model::HeadIndex& head : left) {
    HeadTrial::Heads with = gone;
    with.push_back(head);
    const double loss = trial.loss(with);
    if (!best || loss < best->loss) best = {.head = head, .loss = loss};
    bar.add();
  }
  return best;
}

}  // namespace

AblatedHeads ablated_heads(HeadTrial& trial, bool translate) {
  std::vector<std::pair<std::string, HeadTrial::Heads>> groups;
  for (const model::HeadIndex& head : trial.heads())
    groups.emplace_back(model::name_of(head), HeadTrial::Heads{head});
  for (auto& [name, heads] : by_layer(trial.heads())) groups.emplace_back(name + ", all", heads);
  ProgressBar bar("heads and layers silenced", std::ssize(groups));
  const study::Trial whole = trial.trial("nothing", {}, translate);
  std::vector<study::Trial> silenced;
  for (const auto& [name, heads] : groups) {
    silenced.push_back(trial.trial(name, heads, translate));
    bar.add();
  }
  const auto rows = study::compare_trials(whole, silenced, trial.pieces());
  return {study::ablation_table(whole, rows, trial.pieces()), study::ablation_csv(rows)};
}

Pruning greedy_pruning(HeadTrial& trial, double keep, const HeadTrial::Heads& needed) {
  const double whole = bleu_without(trial, {});
  if (whole <= 0)
    throw UserError(
        "BLEU of the whole model is 0: it cannot tell which heads are needed; are --source and "
        "--target of this model's languages?");
  Pruning found{.steps = {{.loss = trial.loss({}), .bleu = whole}}};
  HeadTrial::Heads gone;
  while (auto step = cheapest(trial, needed, gone)) {
    gone.push_back(*step->head);
    step->bleu = bleu_without(trial, gone);
    found.steps.push_back(*step);
    log::info("{} heads left, without {}: BLEU {}", trial.heads().size() - gone.size(),
              model::name_of(*step->head), fixed(step->bleu, 2));
    if (!score::at_least_percent(step->bleu, keep, whole)) break;
    found.heads = gone;
  }
  return found;
}

}  // namespace heed::inspect
