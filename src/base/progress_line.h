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
};

/// "[######....]  60 %  loss 2.31  ...": a bar of the share (from 0 to 1) and the fields that are
/// not empty, in at most `columns` characters. First the bar shrinks, to 5 cells, and then fields
/// go. Where not even those stay that none drops, the line is longer.
std::string progress_line(double share, const std::vector<ProgressField>& fields, int columns);

}  // namespace heed
