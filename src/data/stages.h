// Stages of training (data.stages): mixtures of corpora, one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/config.h"
#include "data/corpus.h"

namespace heed::data {

/// The corpora that a stage reads, and its end.
struct Mixture {
  std::vector<double> shares;  // by training corpus; their sum is 1
  std::size_t counted = 0;     // the training corpus whose epochs end the stage
  double epochs = 0;           // how many epochs end the stage; 0: they do not end it
  int64_t batches = 0;         // how many batches end the stage; 0: they do not end it
};

/// The mixtures of data.stages. Throws ConfigError naming the key where one is impossible.
std::vector<Mixture> mixtures_of(const DataConfig& config, int64_t batches_per_update);

/// Chooses the pairs of each pool of a stage. A corpus is read in passes, each pair once in a pass,
/// in an order that the seed and the pass decide. Before pool p, the share s of a corpus has given
/// round(s * p * pool) pairs: shares are exact over any number of pools.
class StagePools {
 public:
  /// `key` is the key of the stage, for messages. Throws UserError where the stage has a corpus
  /// without pairs.
  StagePools(const Corpus& corpus, Mixture mixture, int64_t pool, uint64_t seed,
             const std::string& key);

  /// The number of pools; the last one may have up to twice as many pairs as others.
  int64_t count() const { return count_; }
  /// The pairs of a pool, as indices into the corpus.
  std::vector<int64_t> pairs(int64_t pool) const;

 private:
  int64_t read_before(int64_t pool, std::size_t part) const;

  std::vector<Corpus::Part> parts_;
  Mixture mixture_;
  int64_t pool_;  // pairs
  uint64_t seed_;
  int64_t length_, count_;  // length of the stage in pairs and in pools
};

}  // namespace heed::data
