// Shows the progress of long work on the terminal, fitted to its width: how much is done, and the
// time that is left.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace heed {

struct ProgressField {
  std::string text;
  /// If there is no room, fields with the largest number are left out first; those with 0 always
  /// stay.
  int drop = 0;
  /// Shorter texts, used where there is still no room; empty: the longer form stays.
  std::string brief = {}, briefest = {};
};

/// The field "12s left" or "1:05 left"; empty where `seconds` is less than 0, that is, not known.
ProgressField time_left_field(double seconds);

/// "[######....]  60 %  loss 2.31  ...": a bar for the share (from 0 to 1) and the fields that are
/// not empty, in at most `columns` characters. First the bar shrinks to 5 cells, and then fields
/// are left out. The rest is made brief, with single blanks and without the number: "[##..] loss
/// 2.31 ...". Where even that has no room, the bar is left out, and then the line is longer than
/// `columns`.
std::string progress_line(double share, const std::vector<ProgressField>& fields, int columns);

/// A progress_line() on the terminal as long as this object lives:
///   [######....]  60 %  240/400 sentences read  12s left
/// It shows nothing where stderr is no terminal or is to be quiet. There may be one at a time.
class ProgressBar {
 public:
  /// `what` is counted: "sentences read". Where `total` is 0 it is not known; then the line has no
  /// bar, but the time that has passed. `begun`: how much was done before.
  explicit ProgressBar(std::string what, int64_t total = 0, int64_t begun = 0);
  ~ProgressBar() { end(); }
  ProgressBar& operator=(ProgressBar&&) = delete;

  /// Removes the line. To be called before something is written to stdout, which may be the same
  /// terminal.
  void end();

  /// Adds to the amount that is done, which need not be whole. May be called from any thread.
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
