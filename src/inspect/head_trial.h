// A Transformer on a set of pairs with some of its heads silenced: what it then loses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "model/config.h"
#include "model/transformer/heads.h"
#include "score/config.h"
#include "study/ablation.h"
#include "text/pairs.h"

namespace heed::inspect {

/// A model whose weights change while it is tried.
struct TriedModel {
  std::string name;  // for messages
  decode::TranslatorModel member;
  model::ModelConfig config;
  score::EvaluationConfig evaluation;
  /// Of `member` with the weights that it has when this is called.
  std::function<decode::Translator()> translator;
};

class HeadTrial {
 public:
  using Heads = std::vector<model::HeadIndex>;

  /// Throws UserError where the model is no Transformer.
  HeadTrial(TriedModel tried, text::Pairs pairs);

  const Heads& heads() const { return heads_; }
  /// Target pieces of all pairs, </s> included.
  double pieces() const { return pieces_; }

  /// -log p(target) of each pair, without these heads.
  std::vector<double> losses(const Heads& silenced);
  double loss(const Heads& silenced);  // per piece
  /// Of translations of the sources, without these heads.
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

}  // namespace heed::inspect
