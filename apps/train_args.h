// How one training run is started, by `heed train` and by `heed bottleneck`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/config.h"
#include "apps/model_folder.h"
#include "data/corpus.h"

namespace heed {

/// What one run leaves in summary.json for those who compare runs.
struct RunSummary {
  int64_t parameters = 0, updates = 0;
  double minutes = 0, tokens_per_second = 0;  // target tokens without padding
  double validation_loss = 0;                 // best, per token
  double validation_bleu = -1;                // of the best checkpoint; -1 where none was scored
  std::string stop_reason;
  std::vector<std::string> test_scores;  // as sacrebleu describes them

  std::string to_json() const;
  /// Throws UserError naming the file.
  static RunSummary read(const std::string& path);
};

/// Loads the models named in the config or trains them on the training corpus.
Vocabularies make_vocabularies(const Config& config);

/// A fresh model of the config's seed on its device, with what belongs to a run's folder.
ModelFolder fresh_model(Config config, const std::string& folder, const Vocabularies& vocabularies);

/// How the training pairs are read, as the `data` section says.
data::CorpusReading training_reading(const Config& config);

/// The run's training pairs, encoded; a large corpus keeps its ids in a nameless file in the run's
/// folder, or in memory where it has none.
std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run);

}  // namespace heed
