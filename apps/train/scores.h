// What `heed train` measures with another program: BLEU while it trains, and the test set at the
// end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/shared/model_folder.h"
#include "ranks/group.h"

namespace heed {

/// Greedy translations of the validation set, scored by sacrebleu; nothing after a signal. The call
/// is collective.
std::function<std::optional<double>(model::Model&)> bleu_of(const ModelFolder& folder,
                                                            ranks::Group& group);

/// A scorer that is missing, or that refuses what `evaluation` asks for, is known now rather than
/// after an hour. One that fails may be mended by then.
void check_scorer(const score::EvaluationConfig& evaluation);

/// The test set by beam search: test.hypothesis and the scores, by the first rank. Collective.
std::vector<std::string> score_test(const ModelFolder& folder, ranks::Group& group);

/// The scores of the base (training.from) on its own test set, and those of what the run has made
/// of it: what was forgotten.
struct BaseScores {
  std::vector<std::string> before, after;
};

/// Nothing without a base that has a test set. Collective.
BaseScores score_base(const ModelFolder& folder, ranks::Group& group);

}  // namespace heed
