// summary.json: what a finished run leaves for those who compare runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/hygiene.h"
#include "run/provenance.h"

namespace heed::run {

/// What one run leaves in summary.json for those who compare runs.
struct Summary {
  int64_t parameters = 0, updates = 0;
  double minutes = 0, tokens_per_second = 0;  // target tokens without padding
  std::optional<double> validation_loss;      // of the best, per token; nothing without a set
  std::optional<double> validation_bleu;  // of the best checkpoint; nothing where none was scored
  std::string stop_reason;
  std::vector<std::string> test_scores;  // as sacrebleu describes them
  // On the test set of training.from: of that model, and of this one.
  std::vector<std::string> base_before, base_after;

  /// Of a run that was made so, on these corpora.
  std::string to_json(const Provenance& provenance, const data::HygieneReport& corpora) const;
  /// Throws UserError naming the file.
  static Summary read(const std::string& path);
};

/// The corpora of a finished run as they were when it was scored, by its summary.json. Empty where
/// that is missing or does not say.
std::vector<CorpusSum> scored_corpora(const std::string& path);

}  // namespace heed::run
