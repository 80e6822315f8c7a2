// A BatchStream that runs ahead on its own thread. No Torch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/batches.h"

namespace heed::data {

/// A batch, cut into parts (parts_of() in data/batch.h).
struct PreparedBatch {
  std::vector<Batch> parts;
  int64_t epoch = 0;  // from 0
};

class Prefetcher {
 public:
  /// Starts at once, at most `depth` batches ahead. Each is cut into at most `parts`.
  explicit Prefetcher(BatchStream stream, int64_t parts = 1, std::size_t depth = 8);
  /// Stops the thread and waits for it.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The stream's next batch, nothing after its last. What the stream throws is thrown here, after
  /// the batches before it. For one consumer.
  std::optional<PreparedBatch> next();
  /// The parts of so many batches together, with the epoch of the last; of fewer behind the
  /// stream's end.
  std::optional<PreparedBatch> next(int64_t batches);

  /// Behind the last batch that next() gave, however far ahead the thread is: what a checkpoint
  /// saves.
  const Position& position() const;
  /// Seconds that next() waited, in all.
  double waited() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed::data
