// The line that shows how far a long work has come, made for the width of the terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed {

namespace log {
/// progress() (base/log.h) of a line that is made anew for the terminal's columns each time it is
/// drawn. Called by any thread that logs, and must not log.
void progress(std::function<std::string(int columns)> line);
}  // namespace log

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

}  // namespace heed
