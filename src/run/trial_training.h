// Some updates of a training run, to see how long they take: no validation, no checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "run/config.h"
#include "run/model_folder.h"
#include "train/update.h"

namespace heed::run {

/// Sums over some updates.
struct TrialSums {
  int64_t parameters = 0, tokens = 0, real = 0, places = 0;  // tokens: of the target, unpadded
  double seconds = 0, waiting = 0;
  train::UpdateSeconds parts;
  std::string precision;
};

class TrialTraining {
 public:
  /// `folder` may take what a large corpus keeps on disk.
  TrialTraining(Config config, const std::string& folder, const Vocabularies& vocabularies);
  ~TrialTraining();
  TrialTraining(const TrialTraining&) = delete;
  TrialTraining& operator=(const TrialTraining&) = delete;

  /// The next ones; the corpus is read again at its end. Throws as signals::stop_if_interrupted().
  TrialSums updates(int64_t count);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed::run
