// The measurements of `heed train` with another program: BLEU while it trains, and the test set at
// the end.
#pragma once

#include <string>
#include <vector>

#include "data/config.h"
#include "ranks/group.h"
#include "run/model_folder.h"
#include "train/setup.h"
#include "train/trainer.h"
#include "train/validation.h"

namespace heed::run {

/// Translates a validation set as the `training` section says, scores that, and keeps what it wants
/// in validations/ of the run's folder; logs three translations of data.valid. Empty where nothing
/// is wanted or there is no such set. Calls are collective.
train::ScoreModel scores_of(const ModelFolder& folder, const data::CorpusFiles& files,
                            ranks::Group& group);

/// The sets of data.more_valid, each with its scores_of().
std::vector<train::ValidationSet> further_sets(const ModelFolder& folder, ranks::Group& group);

/// The test set by beam search: test.hypothesis and the scores, by the first rank. Collective.
std::vector<std::string> score_test(const ModelFolder& folder, ranks::Group& group);

/// The scores of the base (training.from) on its own test set, and those of what the run has made
/// of it: what was forgotten.
struct BaseScores {
  std::vector<std::string> before, after;
};

/// Returns the scores of the base; nothing without a base that has a test set. If they cannot be
/// computed, a warning says why. Collective.
BaseScores score_base(const ModelFolder& folder, ranks::Group& group);

}  // namespace heed::run
