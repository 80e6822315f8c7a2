#include "base/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace heed {
namespace {

constexpr int kMostCells = 24;

int length_of(const std::string& text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The forms of a line: in full, in brief, and as brief as possible.
enum Form { kFull, kBrief, kBriefest };

const std::string& text_of(const ProgressField& field, Form form) {
  if (form == kBriefest && !field.briefest.empty()) return field.briefest;
  return form != kFull && !field.brief.empty() ? field.brief : field.text;
}

/// The time in whole seconds, because more is not known.
std::string time_text(double seconds) {
  const auto whole = std::llround(std::max(1., seconds));
  return whole < 10 ? std::to_string(whole) + "s" : human_duration(static_cast<double>(whole));
}

/// The time in one unit: "45s", "12m", "3h", "2d".
std::string brief_time(double seconds) {
  constexpr double kMost = 99.5;  // the most that two digits show
  if (seconds < kMost) return std::to_string(std::llround(std::max(1., seconds))) + "s";
  if (seconds < 60 * kMost) return std::to_string(std::llround(seconds / 60)) + "m";
  if (seconds < 3600 * kMost) return std::to_string(std::llround(seconds / 3600)) + "h";
  return std::to_string(std::llround(seconds / 86400)) + "d";
}

}  // namespace

ProgressField time_left_field(double seconds) {
  if (seconds < 0) return {};
  return {time_text(seconds) + " left", 0, brief_time(seconds) + " left", brief_time(seconds)};
}

std::string progress_line(double share, const std::vector<ProgressField>& fields, int columns) {
  const double done = std::isfinite(share) ? std::clamp(share, 0., 1.) : 0;
  std::string percent = std::to_string(static_cast<int>(100 * done)) + " %";
  percent.insert(0, 5 - percent.size(), ' ');
  std::vector<ProgressField> shown;
  for (const ProgressField& field : fields)
    if (!field.text.empty()) shown.push_back(field);
  Form form = kFull;
  const auto room = [&] {  // columns for the bar's cells
    const int gap = form == kFull ? 2 : 1;
    int left = columns - 2 - (form == kFull ? length_of(percent) : 0);
    for (const ProgressField& field : shown) left -= gap + length_of(text_of(field, form));
    return left;
  };
  while (room() < (form == kFull ? 5 : 4)) {
    const auto first = std::ranges::max_element(shown, {}, &ProgressField::drop);
    if (first != shown.end() && first->drop > 0)
      shown.erase(first);
    else if (form != kBriefest)
      form = form == kFull ? kBrief : kBriefest;
    else
      break;
  }
  const int cells = std::min(room(), kMostCells);
  std::string line;
  if (cells >= 2) {
    const auto full = static_cast<std::size_t>(done * cells);
    line = "[" + std::string(full, '#') + std::string(cells - full, '.') + "]";
    if (form == kFull) line += percent;
  }
  for (const ProgressField& field : shown) {
    if (!line.empty()) line += form == kFull ? "  " : " ";
    line += text_of(field, form);
  }
  return line;
}

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
  std::string count = with_commas(static_cast<int64_t>(done_ + 1e-6));  // a sum of parts
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
