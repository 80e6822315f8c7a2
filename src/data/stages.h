// Stages of training (data.stages): mixtures of corpora, one after another. No Torch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/config.h"
#include "data/corpus.h"

namespace heed::data {

/// What a stage reads, and when it ends.
struct Mixture {
  std::vector<double> shares;  // of each training corpus; their sum is 1
  std::size_t counted = 0;     // the training corpus whose epochs end the stage
  double epochs = 0;           // so many; 0: none end it
  int64_t batches = 0;         // so many end it; 0: none do
};

/// Of data.stages. Throws ConfigError naming the key for what cannot be.
std::vector<Mixture> mixtures_of(const DataConfig& config, int64_t batches_per_update);

/// Which pairs the pools of a stage have. A corpus is read in passes, each pair once in a pass, in
/// an order that the seed and the pass decide. Before pool p, the share s of a corpus has given
/// round(s * p * pool) pairs: shares are exact over any number of pools.
class StagePools {
 public:
  /// `key` is the stage's. Throws UserError where it has a corpus without pairs.
  StagePools(const Corpus& corpus, Mixture mixture, int64_t pool, uint64_t seed,
             const std::string& key);

  /// How many there are; the last one may have up to twice as many pairs as others.
  int64_t count() const { return count_; }
  /// Indices into the corpus.
  std::vector<int64_t> pairs(int64_t pool) const;

 private:
  int64_t read_before(int64_t pool, std::size_t part) const;

  std::vector<Corpus::Part> parts_;
  Mixture mixture_;
  int64_t pool_;  // pairs
  uint64_t seed_;
  int64_t length_, count_;  // of the stage in pairs and in pools
};

}  // namespace heed::data
