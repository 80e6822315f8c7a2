// The progress of a long work on the terminal: how much is done, and the time that is left.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace heed {

/// A progress line (base/progress_line.h) as long as this object lives:
///   [######....]  60 %  240/400 sentences read  12s left
/// Nothing where stderr is no terminal or is to be quiet. One at a time.
class ProgressBar {
 public:
  /// `what` is counted: "sentences read". `total` 0: it is not known; then the line has no bar, and
  /// the time that has passed. `begun`: what was done before.
  explicit ProgressBar(std::string what, int64_t total = 0, int64_t begun = 0);
  ~ProgressBar() { end(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Takes the line away: before something is written to stdout, which may be the same terminal.
  void end();

  /// More is done; parts of one count, too. From any thread.
  void add(double more = 1);

 private:
  using Clock = std::chrono::steady_clock;
  void draw() const;

  std::string what_;
  int64_t total_;
  double begun_, done_;
  Clock::time_point start_ = Clock::now(), drawn_ = start_;
  std::mutex mutex_;
};

}  // namespace heed
