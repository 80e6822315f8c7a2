// A Transformer on a set of pairs with some of its heads silenced: what it then loses.
#pragma once

#include <string>
#include <vector>

#include "apps/shared/pairs.h"
#include "model/transformer/heads.h"
#include "run/model_folder.h"
#include "study/ablation.h"

namespace heed {

class HeadTrial {
 public:
  using Heads = std::vector<model::HeadPlace>;

  /// Throws UserError where the model is no Transformer.
  HeadTrial(const std::string& model, const run::OpenOptions& options, Pairs pairs);

  const run::ModelFolder& folder() const { return folder_; }
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
  run::ModelFolder folder_;
  Pairs pairs_;
  Heads heads_;
  double pieces_ = 0;
};

}  // namespace heed
