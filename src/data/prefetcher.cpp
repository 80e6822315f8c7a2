#include "data/prefetcher.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "data/batch.h"

namespace heed::data {

Prefetcher::Prefetcher(BatchStream stream, int64_t parts, std::size_t depth)
    : stream_(std::move(stream)),
      parts_(parts),
      depth_(std::max<std::size_t>(1, depth)),
      position_(stream_.position()),
      thread_([this](const std::stop_token& stop) { produce(stop); }) {}

void Prefetcher::produce(const std::stop_token& stop) {
  std::exception_ptr failure;
  try {
    while (const auto step = stream_.next()) {
      Item item{{parts_of(step->batch, parts_), step->epoch}, step->after};
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return queue_.size() < depth_; });
      if (stop.stop_requested()) return;
      queue_.push_back(std::move(item));
      changed_.notify_all();
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  error_ = failure;
  ended_ = true;
  changed_.notify_all();
}

std::optional<PreparedBatch> Prefetcher::next() {
  std::unique_lock lock(mutex_);
  const auto start = std::chrono::steady_clock::now();
  changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
  waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (queue_.empty()) {
    if (error_) std::rethrow_exception(error_);
    return std::nullopt;
  }
  Item item = std::move(queue_.front());
  queue_.pop_front();
  changed_.notify_all();
  position_ = item.after;
  return std::move(item.batch);
}

std::optional<PreparedBatch> Prefetcher::next(int64_t batches) {
  std::optional<PreparedBatch> all = next();
  for (int64_t i = 1; all && i < batches; ++i) {
    auto batch = next();
    if (!batch) break;
    all->epoch = batch->epoch;
    std::ranges::move(batch->parts, std::back_inserter(all->parts));
  }
  return all;
}

}  // namespace heed::data
