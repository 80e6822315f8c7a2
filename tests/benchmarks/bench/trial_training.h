// Some updates of a training run, without validation and checkpoints.
#pragma once

#include <cstdint>
#include <string>

#include "data/prefetcher.h"
#include "run/model_folder.h"
#include "train/update.h"

namespace heed::bench {

/// Sums over some updates.
struct TrialSums {
  int64_t parameters = 0, tokens = 0, real = 0, padded = 0;  // tokens: of the target, unpadded
  double seconds = 0, waiting = 0;
  train::UpdateSeconds parts;
  std::string precision;
};

class TrialTraining {
 public:
  /// `folder` may take what a large corpus keeps on disk.
  TrialTraining(run::Config config, const std::string& folder,
                const run::Vocabularies& vocabularies);
  TrialTraining& operator=(TrialTraining&&) = delete;

  /// The next ones; the corpus is read again at its end. Throws as signals::stop_if_interrupted().
  TrialSums updates(int64_t count);

 private:
  run::ModelFolder run_;
  ranks::Group group_;
  train::Shard shard_;
  train::Optimizer optimizer_;
  train::Updater updater_;
  data::Prefetcher batches_;
  int64_t done_ = 0;
};

}  // namespace heed::bench
