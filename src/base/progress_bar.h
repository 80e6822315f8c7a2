// The progress of a long work on the terminal, made for its width: how much is done, and the time
// that is left.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace heed {

struct ProgressField {
  std::string text;
  /// Where there is no room, those of the largest number go first; of 0 none goes.
  int drop = 0;
  /// Said in their place where there is still no room; empty: the longer form stays.
  std::string brief = {}, briefest = {};
};

/// "12s left", "1:05 left"; empty where it is less than 0, that is, not known.
ProgressField time_left_field(double seconds);

/// "[######....]  60 %  loss 2.31  ...": a bar of the share (from 0 to 1) and the fields that are
/// not empty, in at most `columns` characters. First the bar shrinks, to 5 cells, and then fields
/// go. What stays is made brief, with single blanks and without the number: "[##..] loss 2.31 ...".
/// Where not even that has room, the bar goes, and then the line is longer.
std::string progress_line(double share, const std::vector<ProgressField>& fields, int columns);

/// A progress_line() on the terminal as long as this object lives:
///   [######....]  60 %  240/400 sentences read  12s left
/// Nothing where stderr is no terminal or is to be quiet. One at a time.
class ProgressBar {
 public:
  /// `what` is counted: "sentences read". `total` 0: it is not known; then the line has no bar, and
  /// the time that has passed. `begun`: what was done before.
  explicit ProgressBar(std::string what, int64_t total = 0, int64_t begun = 0);
  ~ProgressBar() { end(); }
  ProgressBar& operator=(ProgressBar&&) = delete;

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
