// Threads for an engine where LibTorch has none to lend.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/threads.h"

namespace heed::engine {

class ThreadPool {
 public:
  /// The thread that lends them works, too: one less is made. 1: none.
  explicit ThreadPool(int64_t threads);
  ~ThreadPool();
  ThreadPool& operator=(ThreadPool&&) = delete;

  /// They throw what a call threw first. Valid as long as this object.
  const Threads& threads() const { return threads_; }

 private:
  using Work = std::function<void(int64_t first, int64_t last)>;

  void lend(int64_t count, int64_t grain, const Work& work);
  void wait_for_work(int64_t worker);
  void run_part(int64_t worker);

  Threads threads_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  // Of the work under way: as many parts as workers_ and one, each from worker * part_ on.
  const Work* work_ = nullptr;
  int64_t count_ = 0, part_ = 0;
  int64_t turn_ = 0;     // which work it is
  int64_t at_work_ = 0;  // workers
  bool over_ = false;
  std::exception_ptr thrown_;
};

}  // namespace heed::engine
