// A picture of lines over numbers, or over evenly spaced ticks: learning curves, BLEU by source
// length with shaded intervals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"
#include "score/bleu_statistics.h"
#include "score/lengths.h"

namespace heed::draw {

struct PlotPoint {
  double x = 0, value = 0;  // x: over ticks the number of one, from 0
  std::optional<score::Interval> interval = {};
};

struct PlotLine {
  std::string name;               // "": it has no label
  std::vector<PlotPoint> points;  // x rising
  std::size_t color = 0;          // lines of one colour belong together
  bool dashed = false;
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  std::vector<std::string> ticks =
      {};  // under the x axis, evenly spaced; without them x is a number
  std::vector<std::string> notes = {};  // a second line under each tick; empty or one per tick
};

/// An SVG of about 860 x 480 pixels, for slides twice as large. Names stand at the right end of
/// their lines, pushed apart where they would touch; the narrow form has them below, and no notes.
/// Over ticks values are 0..100 or more, never negative, and a tick without a point leaves a gap.
/// Over numbers a first steep part of a line, within a fiftieth of the longest x, may run out of
/// the frame, where it is cut: it would press the rest flat.
std::string draw_plot(const Plot& plot, Form form = Form::wide);

/// Lines over numbers for a terminal: `width` x `height` letters for the plot, a letter for each
/// line.
std::string plot_text(const Plot& plot, std::size_t width = 64, std::size_t height = 14);

/// BLEU by source length: buckets as ticks, their sizes as notes; empty ones at either end are left
/// out.
Plot plot_of(const score::LengthReport& report, const std::string& title = "BLEU by source length");

}  // namespace heed::draw
