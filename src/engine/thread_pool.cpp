#include "engine/thread_pool.h"

#include <algorithm>
#include <utility>

namespace heed::engine {
namespace {

thread_local bool is_at_work = false;

}  // namespace

ThreadPool::ThreadPool(int64_t threads)
    : threads_(
          [this](int64_t count, int64_t grain, const Work& work) { lend(count, grain, work); }) {
  for (int64_t worker = 1; worker < threads; ++worker)
    workers_.emplace_back([this, worker] { wait_for_work(worker); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  begins_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::lend(int64_t count, int64_t grain, const Work& work) {
  const int64_t parts =
      std::min<int64_t>(std::ssize(workers_) + 1, count / std::max<int64_t>(grain, 1));
  if (count <= 0) return;
  if (parts < 2 || is_at_work) return work(0, count);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    part_ = (count + parts - 1) / parts;
    at_work_ = std::ssize(workers_);
    thrown_ = nullptr;
    ++turn_;
  }
  begins_.notify_all();
  run_part(0);
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [&] { return at_work_ == 0; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadPool::wait_for_work(int64_t worker) {
  for (int64_t seen = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begins_.wait(lock, [&] { return over_ || turn_ > seen; });
      if (over_) return;
      seen = turn_;
    }
    run_part(worker);
    const std::lock_guard lock(mutex_);
    if (--at_work_ == 0) ends_.notify_one();
  }
}

void ThreadPool::run_part(int64_t worker) {
  const int64_t first = worker * part_, last = std::min(count_, first + part_);
  if (first >= last) return;
  is_at_work = true;
  try {
    (*work_)(first, last);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
  is_at_work = false;
}

}  // namespace heed::engine
