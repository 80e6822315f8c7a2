// A BatchStream that runs ahead on its own thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "data/batch.h"
#include "data/batches.h"
#include "data/position.h"

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

  /// The stream's next batch, nothing after its last. Errors of the stream are thrown here, after
  /// the batches before them. For one consumer.
  std::optional<PreparedBatch> next();
  /// The parts of this many batches together, with the epoch of the last; fewer at the end of the
  /// stream.
  std::optional<PreparedBatch> next(int64_t batches);

  /// The position after the last batch that next() gave, however far ahead the thread is. A
  /// checkpoint saves it.
  const Position& position() const { return position_; }
  /// Returns the seconds that next() waited, in all.
  double waited() const { return waited_; }

 private:
  struct Item {
    PreparedBatch batch;
    Position after;
  };

  void produce(const std::stop_token& stop);

  // The thread's own.
  BatchStream stream_;
  const int64_t parts_;
  const std::size_t depth_;
  // Shared, under the mutex.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Item> queue_;
  bool ended_ = false;
  std::exception_ptr error_;
  // The consumer's own.
  Position position_;
  double waited_ = 0;

  std::jthread thread_;  // stopped and joined before the other members are destroyed
};

}  // namespace heed::data
