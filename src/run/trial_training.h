// Measurements on this machine: seconds, GFLOP/s, and some updates of a training run, without
// validation and checkpoints.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/prefetcher.h"
#include "run/model_folder.h"
#include "train/update.h"

namespace heed::run {

double seconds_of(const std::function<void()>& run);

/// The median of `repeats` runs, in seconds; one more goes before them, unmeasured.
double median_seconds(int repeats, const std::function<void()>& run);

/// The median of numbers, not empty.
double median(std::vector<double> values);

/// GFLOP/s of a square fp32 or bf16 product, LibTorch's or the model's own, whichever is faster:
/// the ceiling that shares of peak refer to.
double gemm_gflops(bool bf16, int64_t size = 1024, int repeats = 8);

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
  TrialTraining& operator=(TrialTraining&&) = delete;

  /// The next ones; the corpus is read again at its end. Throws as signals::stop_if_interrupted().
  TrialSums updates(int64_t count);

 private:
  ModelFolder run_;
  ranks::Group group_;
  train::Shard shard_;
  train::Optimizer optimizer_;
  train::Updater updater_;
  data::Prefetcher batches_;
  int64_t done_ = 0;
};

}  // namespace heed::run
