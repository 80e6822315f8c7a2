// Threads for an engine in a program without LibTorch.
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
  /// The calling thread works, too, so that one thread less is made: none for 1.
  explicit ThreadPool(int64_t threads);
  ~ThreadPool();
  ThreadPool& operator=(ThreadPool&&) = delete;

  /// The threads, which may be used as long as this object lives. They throw the exception of the
  /// first call that failed.
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
  // The work under way. It has one part more than workers_, and each begins at worker * part_.
  const Work* work_ = nullptr;
  int64_t count_ = 0, part_ = 0;
  int64_t turn_ = 0;     // the number of the work
  int64_t at_work_ = 0;  // workers
  bool over_ = false;
  std::exception_ptr thrown_;
};

}  // namespace heed::engine
