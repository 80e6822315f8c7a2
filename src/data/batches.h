// The order of training: epochs or stages, pools, batches. Decided by (seed, position) alone, so
// that a position of a few numbers brings it back. No Torch here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/batch.h"
#include "data/config.h"
#include "data/corpus.h"
#include "data/example.h"
#include "data/position.h"
#include "data/stages.h"

namespace heed::data {

struct BatchOptions {
  int64_t batch_size = 4096;
  bool tokens = true;     // batch_size is padded target tokens (eos included), else sentences
  int64_t pool = 100000;  // sentences sorted by length together
  uint64_t seed = 1;
  int64_t epochs = 0;                // 0: endless
  double sampling = 0;               // data.subword_sampling; needs a corpus with keep_text
  NoiseConfig noise = {};            // data.noise; the same
  double terms = 0;                  // data.terms; the same
  std::vector<Mixture> stages = {};  // data.stages; they say what is read, and `epochs` is not used
  int64_t threads = 1;               // for sampling and noise; the result does not depend on it
};

/// How many of a corpus's pairs an epoch reads, a pair as often as it is read.
int64_t pairs_in_epoch(int64_t pairs, double weight);

struct StreamedBatch {
  Batch batch;
  int64_t epoch = 0;  // of the batch, or its stage, from 0
  Position after;     // where to seek() to go on behind this batch
};

/// A stream of batches over a corpus. An epoch reads each part of the corpus as often as its weight
/// says (0.5: a new random half each time), shuffled, cut into pools; a pool is sorted by length,
/// cut into batches, and these are shuffled. A batch holds as many sentences as fit: padded target
/// tokens within batch_size, padded source tokens within twice that; one that fits in none makes
/// its own. With stages their pools are cut in the same way.
class BatchStream {
 public:
  /// Throws UserError where the weight of a part leaves none of its pairs, and as StagePools.
  BatchStream(std::shared_ptr<const Corpus> corpus, const BatchOptions& options);

  /// Nothing after the last epoch or stage.
  std::optional<StreamedBatch> next();
  const Position& position() const { return position_; }
  /// The stream goes on from `position` exactly as it would have. Throws UserError where corpus,
  /// seed or options are not those that the position was made with, or there is no such place.
  void seek(const Position& position);

  /// How many batches an epoch has (cuts all its pools, with sampling or noise encodes them).
  int64_t batches_in_epoch(int64_t epoch) const;

 private:
  struct Pool {
    std::vector<int64_t> pairs;                        // corpus indices
    std::vector<Example> drawn;                        // [pairs], with subword sampling or noise
    std::vector<int64_t> order;                        // into pairs, sorted by length
    std::vector<std::pair<int64_t, int64_t>> batches;  // ranges of `order`
  };

  std::vector<int64_t> epoch_order(int64_t epoch) const;
  int64_t pool_count();  // of the present epoch or stage, whose order is then there
  Pool make_pool() const;
  Batch make(const Pool& pool, int64_t batch) const;
  bool load();  // false: the present epoch or stage has no such pool
  void advance();

  std::shared_ptr<const Corpus> corpus_;
  BatchOptions options_;
  Position position_;
  std::vector<StagePools> stages_;
  std::vector<int64_t> order_;  // of the epoch order_epoch_, without stages
  int64_t order_epoch_ = -1;
  Pool pool_;
  int64_t pool_epoch_ = -1, pool_number_ = -1;
};

/// For validation: every pair of the corpus once, sorted by length, at most `max_tokens` padded
/// target tokens a batch (source: twice that). Origin::index says which pair a row is.
std::vector<Batch> fixed_batches(const Corpus& corpus, int64_t max_tokens);

}  // namespace heed::data
