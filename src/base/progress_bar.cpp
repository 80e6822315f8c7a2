#include "base/progress_bar.h"

#include <utility>

#include "base/log.h"
#include "base/progress_line.h"
#include "base/strings.h"

namespace heed {

ProgressBar::ProgressBar(std::string what, int64_t total, int64_t begun)
    : what_(std::move(what)),
      total_(total),
      begun_(static_cast<double>(begun)),
      done_(static_cast<double>(begun)) {
  if (log::shows_progress()) draw();
}

void ProgressBar::end() {
  log::clear_progress();
}

void ProgressBar::add(double more) {
  const std::scoped_lock lock(mutex_);
  done_ += more;
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100) || !log::shows_progress()) return;
  drawn_ = now;
  draw();
}

void ProgressBar::draw() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string count = with_commas(static_cast<int64_t>(done_ + 1e-6));  // of parts, a whole
  if (total_ == 0) return log::progress(count + " " + what_ + "  " + human_duration(seconds));
  count += "/" + with_commas(total_);
  const double now = done_ - begun_, total = static_cast<double>(total_);
  const std::vector<ProgressField> fields = {
      {count + " " + what_, 0, count},
      now > 0 ? time_left_field(seconds / now * (total - done_)) : ProgressField()};
  log::progress([share = done_ / total, fields](int columns) {
    return progress_line(share, fields, columns);
  });
}

}  // namespace heed
