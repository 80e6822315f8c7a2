#include "base/stopped_time.h"

#include <chrono>

#include "base/signals.h"

namespace heed {
namespace {

constexpr std::chrono::milliseconds kTick{250};

}  // namespace

StoppedTime::StoppedTime(double shortest) : shortest_(shortest), thread_([this] { watch(); }) {}

StoppedTime::~StoppedTime() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

double StoppedTime::seconds() const {
  const std::lock_guard lock(mutex_);
  return seconds_ + late(Clock::now());
}

void StoppedTime::watch() {
  signals::leave_to_main_thread();
  for (std::unique_lock lock(mutex_); !ended_;) {
    ends_.wait_for(lock, kTick);
    const auto now = Clock::now();
    seconds_ += late(now);
    woke_ = now;
  }
}

/// By how many seconds the thread wakes late, if it wakes now; 0 where that is no stop.
double StoppedTime::late(Clock::time_point now) const {
  const double late = std::chrono::duration<double>(now - woke_ - kTick).count();
  return late >= shortest_ ? late : 0;
}

}  // namespace heed
