// A picture of lines over evenly spaced ticks: BLEU by source length with shaded intervals, the
// cost of attention by length.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/frame.h"
#include "score/lengths.h"

namespace heed::draw {

struct CurvePoint {
  double value = 0;
  std::optional<score::Interval> interval;
};

struct CurveSeries {
  std::string name;
  std::vector<std::optional<CurvePoint>> points;  // one per tick; nothing leaves a gap
};

struct Curve {
  std::string title, x_label, y_label;
  std::vector<std::string> ticks;  // under the x axis, evenly spaced
  std::vector<std::string> notes;  // a second line under each tick; empty or one per tick
  std::vector<CurveSeries> series;
  bool log_values = false;  // powers of ten are evenly spaced; every value is above 0
};

/// An SVG of about 860 x 480 pixels; values are 0..100 or more, never negative. Names stand at the
/// right end of their lines, pushed apart where they would touch. The narrow form has no notes.
std::string draw_curve(const Curve& curve, Form form = Form::wide);

/// The curve of a length report: buckets as ticks, their sizes as notes; empty ones at either end
/// are left out.
Curve curve_of(const score::LengthReport& report,
               const std::string& title = "BLEU by source length");

}  // namespace heed::draw
