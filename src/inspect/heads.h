// Measures what the heads of a model attend to while it reads pairs, and the loss of a Transformer
// when some of them are silenced.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "inspect/aligner.h"
#include "inspect/attention_maps.h"
#include "model/description/config.h"
#include "model/transformer/heads.h"
#include "score/bleu_statistics.h"
#include "score/config.h"
#include "study/faithful.h"
#include "study/heads.h"
#include "study/pronouns.h"
#include "text/pairs.h"

namespace heed::inspect {

struct HeadRequest {
  std::vector<AttentionKind> kinds;
  study::HeadOptions options;
  ComparableGold gold;
  std::vector<std::vector<study::Antecedent>> antecedents = {};  // of each pair, or nothing
  std::string antecedents_name = {};                             // of their file
};

/// Returns the report of all layers and heads, over the pairs that are not too long. `source` is
/// the pairs' file and `model` the model's name, for messages: warnings count the pairs whose gold
/// was left out. Throws UserError as attention_maps(), and for gold that does not fit its pair.
study::HeadReport head_report(decode::Translator& translator, const text::Pairs& pairs,
                              HeadRequest request, const std::string& source,
                              const std::string& model);

/// A model whose weights change while it is tried.
struct TriedModel {
  std::string name;  // for messages
  decode::TranslatorModel member;
  model::ModelConfig config;
  score::EvaluationConfig evaluation;
  /// Measures `member` with the weights that it has when this is called.
  std::function<decode::Translator()> translator;
};

class HeadTrial {
 public:
  using Heads = std::vector<model::HeadIndex>;

  /// Throws UserError where the model is no Transformer.
  HeadTrial(TriedModel tried, text::Pairs pairs);

  const Heads& heads() const { return heads_; }
  /// Returns the number of target pieces of all pairs, </s> included.
  double pieces() const { return pieces_; }

  /// -log p(target) of each pair, without these heads.
  std::vector<double> losses(const Heads& silenced);
  double loss(const Heads& silenced);  // per piece
  /// Measures the translations of the sources without these heads.
  std::vector<score::BleuStatistics> bleu(const Heads& silenced);
  study::Trial trial(const std::string& name, const Heads& silenced, bool translate);

 private:
  TriedModel tried_;
  text::Pairs pairs_;
  Heads heads_;
  double pieces_ = 0;
};

/// Every head, and every layer's heads, silenced in turn: a table for people, and CSV.
struct AblatedHeads {
  std::string table, csv;
};
/// `translate`: with BLEU.
AblatedHeads ablated_heads(HeadTrial& trial, bool translate);

struct PruningStep {
  std::optional<model::HeadIndex> head = {};  // the one taken out; nothing: the whole model
  double loss = 0, bleu = 0;                  // without it and those of the steps before
};

struct Pruning {
  std::vector<PruningStep> steps;
  HeadTrial::Heads heads = {};  // of all steps, but for the last one where its BLEU is too low
};
/// A greedy search: each step takes out the head whose silence costs least loss, as long as BLEU
/// stays at `keep` per cent of the whole model's. Each attention keeps a head, and those of
/// `needed` stay. Throws UserError where BLEU of the whole model is 0.
Pruning greedy_pruning(HeadTrial& trial, double keep, const HeadTrial::Heads& needed);

}  // namespace heed::inspect
