// The order of training: epochs or stages, pools, batches. Seed and position alone decide it, so
// that a position of a few numbers is enough to continue.
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
  NoiseConfig noise = {};            // data.noise; needs keep_text, too
  double terms = 0;                  // data.terms; needs keep_text, too
  std::vector<Mixture> stages = {};  // data.stages; they say what is read, and `epochs` is not used
  int64_t threads = 1;               // for sampling and noise; the result does not depend on it
};

/// Returns the number of pairs of a corpus that an epoch reads; one that is read twice counts
/// twice.
int64_t pairs_in_epoch(int64_t pairs, double weight);

struct StreamedBatch {
  Batch batch;
  int64_t epoch = 0;  // of the batch, or its stage, from 0
  Position after;     // the position to seek() to go on after this batch
};

/// A stream of batches over a corpus. An epoch reads each part of the corpus as often as its weight
/// says (0.5: a new random half each time), shuffled, cut into pools; a pool is sorted by length,
/// cut into batches, and these are shuffled. A batch holds as many sentences as fit: padded target
/// tokens within batch_size, padded source tokens within twice that; a sentence that is too long
/// for that is a batch of its own. With stages their pools are cut in the same way.
class BatchStream {
 public:
  /// Throws UserError where the weight of a part leaves none of its pairs, and what StagePools
  /// throws.
  BatchStream(std::shared_ptr<const Corpus> corpus, const BatchOptions& options);

  /// The next batch; nothing after the last epoch or stage.
  std::optional<StreamedBatch> next();
  const Position& position() const { return position_; }
  /// Moves the stream to `position`, from which it goes on exactly as before. Throws UserError
  /// where corpus, seed or options are not those that the position was made with, or there is no
  /// such position.
  void seek(const Position& position);

  /// Returns the number of batches of an epoch. Cuts all its pools, and with sampling or noise
  /// encodes them.
  int64_t batches_in_epoch(int64_t epoch) const;

 private:
  struct Pool {
    std::vector<int64_t> pairs;                        // corpus indices
    std::vector<Example> drawn;                        // [pairs], with subword sampling or noise
    std::vector<int64_t> order;                        // into pairs, sorted by length
    std::vector<std::pair<int64_t, int64_t>> batches;  // ranges of `order`
  };

  std::vector<int64_t> epoch_order(int64_t epoch) const;
  int64_t pool_count();  // pools of the present epoch or stage; makes its order
  Pool make_pool() const;
  Batch make(const Pool& pool, int64_t batch) const;
  bool load();  // false: the present epoch or stage has no such pool
  void advance();

  std::shared_ptr<const Corpus> corpus_;
  BatchOptions options_;
  Position position_;
  std::vector<StagePools> stages_;
  std::vector<int64_t> order_;  // the order of the epoch order_epoch_, without stages
  int64_t order_epoch_ = -1;
  Pool pool_;
  int64_t pool_epoch_ = -1, pool_number_ = -1;
};

/// Batches for validation: every pair of the corpus once, sorted by length, at most `max_tokens`
/// padded target tokens in a batch (source: twice that). Origin::index is the number of a row's
/// pair.
std::vector<Batch> fixed_batches(const Corpus& corpus, int64_t max_tokens);

}  // namespace heed::data
