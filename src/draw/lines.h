// A picture of lines over numbers: learning curves, by updates or minutes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "draw/frame.h"

namespace heed::draw {

struct Line {
  std::string name;                               // "": it has no label
  std::vector<std::pair<double, double>> points;  // x and value, x rising
  std::size_t color = 0;                          // lines of one colour belong together
  bool dashed = false;
};

struct Lines {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
};

/// An SVG of about 860 x 480 pixels. A first steep part of a line, within a fiftieth of the longest
/// x, may run out of the frame, where it is cut: it would press the rest flat.
std::string draw_lines(const Lines& lines, Form form = Form::wide);

/// The same for a terminal: `width` x `height` letters for the plot, a letter for each line.
std::string lines_text(const Lines& lines, std::size_t width = 64, std::size_t height = 14);

}  // namespace heed::draw
