// What a model loses when heads are silenced (Michel et al. 2019; Voita et al. 2019): changes of
// loss and BLEU on the same sentences, with intervals. Knows nothing of LibTorch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/bleu_statistics.h"
#include "study/faithful.h"

namespace heed::study {

/// One model, or the model with some heads silenced.
struct Trial {
  std::string name;
  std::vector<double> losses;               // -log p(reference) of each sentence
  std::vector<score::BleuStatistics> bleu;  // of each sentence; empty: not translated
};

struct Ablated {
  std::string name;
  Mean loss;  // change per target piece
  double bleu = 0;
  std::optional<score::Comparison> bleu_change;
};

/// Each of `silenced` against `whole`. `pieces`: target pieces of all sentences.
std::vector<Ablated> compare_trials(const Trial& whole, const std::vector<Trial>& silenced,
                                    double pieces);

/// One line each, `whole` first. Worse is positive for the loss, negative for BLEU.
std::string ablation_table(const Trial& whole, const std::vector<Ablated>& rows, double pieces);
std::string ablation_csv(const std::vector<Ablated>& rows);

}  // namespace heed::study
