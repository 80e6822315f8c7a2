// How long a process did not run at all, because it was stopped or its machine was frozen.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace heed {

/// While it lives, a thread of its own wakes four times a second. If it wakes some seconds late,
/// the whole process did not run meanwhile: SIGSTOP or SIGTSTP stopped it (a terminal's Ctrl-Z, a
/// batch system that suspends a job), or a container was paused. A busy machine delays a sleeping
/// thread by far less. That takes no handler of SIGCONT, which a paused container does not get.
class StoppedTime {
 public:
  /// A stop of fewer than `shortest` seconds is not counted.
  explicit StoppedTime(double shortest = 3);
  ~StoppedTime();
  StoppedTime& operator=(StoppedTime&&) = delete;

  /// The seconds of all such stops so far, one that ends just now included.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  double late(Clock::time_point now) const;

  const double shortest_;
  mutable std::mutex mutex_;
  double seconds_ = 0;
  Clock::time_point woke_ = Clock::now();
  std::condition_variable ends_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace heed
