#include "data/prefetcher.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>

namespace heed::data {

struct Prefetcher::Impl {
  Impl(BatchStream batches, int64_t count, std::size_t most)
      : stream(std::move(batches)),
        parts(count),
        depth(std::max<std::size_t>(1, most)),
        position(stream.position()) {
    thread = std::thread([this] { produce(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    thread.join();
  }

  void produce() {
    std::exception_ptr failure;
    try {
      while (put(prepare(stream.next()))) {
      }
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    error = failure;
    ended = true;
    changed.notify_all();
  }

  struct Item {
    PreparedBatch batch;
    Position after;
  };

  std::optional<Item> prepare(const std::optional<StreamedBatch>& step) const {
    if (!step) return std::nullopt;
    return Item{{parts_of(step->batch, parts), step->epoch}, step->after};
  }

  /// Waits for room; false where there is nothing more to do.
  bool put(std::optional<Item> item) {
    if (!item) return false;
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return stopping || queue.size() < depth; });
    if (stopping) return false;
    queue.push_back(std::move(*item));
    changed.notify_all();
    return true;
  }

  std::optional<Item> take() {
    std::unique_lock lock(mutex);
    const auto start = std::chrono::steady_clock::now();
    changed.wait(lock, [this] { return ended || !queue.empty(); });
    waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (queue.empty()) {
      if (error) std::rethrow_exception(error);
      return std::nullopt;
    }
    Item item = std::move(queue.front());
    queue.pop_front();
    changed.notify_all();
    return item;
  }

  // The thread's own.
  BatchStream stream;
  const int64_t parts;
  const std::size_t depth;

  // Shared, under the mutex.
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> queue;
  bool stopping = false, ended = false;
  std::exception_ptr error;

  // The consumer's own.
  Position position;
  double waited = 0;

  std::thread thread;
};

Prefetcher::Prefetcher(BatchStream stream, int64_t parts, std::size_t depth)
    : impl_(std::make_unique<Impl>(std::move(stream), parts, depth)) {}
Prefetcher::~Prefetcher() = default;

std::optional<PreparedBatch> Prefetcher::next() {
  std::optional<Impl::Item> item = impl_->take();
  if (!item) return std::nullopt;
  impl_->position = item->after;
  return std::move(item->batch);
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

const Position& Prefetcher::position() const {
  return impl_->position;
}

double Prefetcher::waited() const {
  return impl_->waited;
}

}  // namespace heed::data
