#include "draw/curve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "draw/frame.h"
#include "draw/palette.h"
#include "draw/svg.h"
#include "draw/text_width.h"

namespace heed::draw {
namespace {

constexpr double kBottom = 92, kTickGap = 100;  // pixels

struct Point {
  double x = 0, y = 0, low = 0, high = 0;  // pixels
  bool has_interval = false;
};

// Where things are: x by tick, y by value.
struct Plot {
  double width = 0;
  std::size_t ticks = 0, series = 0;
  ValueAxis axis;

  double x(std::size_t tick) const {
    return kFrameLeft + width * (static_cast<double>(tick) + 0.5) / static_cast<double>(ticks);
  }
  // Series stand a little beside each other, or their whiskers would hide one another.
  double x(std::size_t tick, std::size_t which) const {
    const double middle = (static_cast<double>(series) - 1) / 2;
    const double gap = width / static_cast<double>(ticks);
    const double step = std::min(7.0, 0.4 * gap / static_cast<double>(series));
    return x(tick) + step * (static_cast<double>(which) - middle);
  }
  double y(double value) const { return axis.y(value); }
};

double largest_value(const Curve& curve) {
  double largest = 0;
  for (const CurveSeries& series : curve.series) {
    for (const auto& point : series.points) {
      if (!point) continue;
      largest = std::max(largest, point->interval ? point->interval->high : point->value);
    }
  }
  return largest;
}

double smallest_value(const Curve& curve) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const CurveSeries& series : curve.series) {
    for (const auto& point : series.points) {
      if (point) smallest = std::min(smallest, point->value);
    }
  }
  return smallest;
}

// Where there is little room only every second, third, ... tick has its text.
void draw_narrow_ticks(Svg& svg, const Curve& curve, const Plot& plot) {
  constexpr double kSize = 11;
  double widest = 0;
  for (const std::string& tick : curve.ticks) widest = std::max(widest, text_width(tick));
  const double gap = plot.width / static_cast<double>(plot.ticks);
  const auto every = static_cast<std::size_t>(std::ceil((widest * kSize + 3) / gap));
  for (std::size_t t = 0; t < plot.ticks; ++t)
    draw_tick(svg, plot.x(t), t % every == 0 ? curve.ticks[t] : "", kSize);
}

void draw_axes(Svg& svg, const Curve& curve, const Plot& plot, Form form) {
  draw_frame(svg, plot.axis, plot.width, curve.title, curve.x_label, curve.y_label,
             form == Form::narrow || curve.notes.empty() ? 44 : 64);
  if (form == Form::narrow) return draw_narrow_ticks(svg, curve, plot);
  for (std::size_t t = 0; t < plot.ticks; ++t) {
    draw_tick(svg, plot.x(t), curve.ticks[t]);
    if (t < curve.notes.size()) {
      svg.text(plot.x(t), kFrameTop + kFrameHeight + 36, curve.notes[t],
               {.size = 11, .anchor = "middle", .fill = "#666666"});
    }
  }
}

// The stretches of neighbouring points; a bucket without sentences ends one.
std::vector<std::vector<Point>> stretches(const CurveSeries& series, const Plot& plot,
                                          std::size_t which) {
  std::vector<std::vector<Point>> out(1);
  for (std::size_t t = 0; t < series.points.size(); ++t) {
    const auto& point = series.points[t];
    if (!point) {
      out.emplace_back();
      continue;
    }
    const score::Interval interval =
        point->interval.value_or(score::Interval{point->value, point->value});
    out.back().push_back({.x = plot.x(t, which),
                          .y = plot.y(point->value),
                          .low = plot.y(interval.low),
                          .high = plot.y(interval.high),
                          .has_interval = point->interval.has_value()});
  }
  return out;
}

std::string point_list(const std::vector<Point>& points, double Point::*y) {
  std::string out;
  for (const Point& point : points)
    out += short_number(point.x) + ',' + short_number(point.*y) + ' ';
  return out;
}

void draw_stretch(Svg& svg, const std::vector<Point>& points, std::size_t which) {
  const std::string color = series_color(which);
  const std::string dash = which < 8 ? "" : " stroke-dasharray=\"6 4\"";
  if (points.empty()) return;
  if (points.front().has_interval) {
    const std::vector<Point> back(points.rbegin(), points.rend());
    svg.raw("<polygon points=\"" + point_list(points, &Point::high) +
            point_list(back, &Point::low) + "\" fill=\"" + color + "\" fill-opacity=\"0.13\"/>");
  }
  svg.raw("<polyline points=\"" + point_list(points, &Point::y) + "\" fill=\"none\" stroke=\"" +
          color + "\" stroke-width=\"2.2\" stroke-linejoin=\"round\"" + dash + "/>");
  for (const Point& point : points) {
    if (!point.has_interval) continue;
    svg.line(point.x, point.low, point.x, point.high, color, 1.3);
    svg.line(point.x - 3, point.low, point.x + 3, point.low, color, 1.3);
    svg.line(point.x - 3, point.high, point.x + 3, point.high, color, 1.3);
  }
}

std::string tooltip(const CurveSeries& series, const CurvePoint& point, const std::string& tick) {
  const int digits = point.value > 0 && point.value < 0.1 ? 6 : 2;
  std::string text = series.name + ", " + tick + ": " + fixed(point.value, digits);
  if (point.interval) {
    text += " (" + fixed(point.interval->low, 2) + " to " + fixed(point.interval->high, 2) + ")";
  }
  return text;
}

void draw_markers(Svg& svg, const Curve& curve, const Plot& plot, std::size_t which) {
  const CurveSeries& series = curve.series[which];
  for (std::size_t t = 0; t < series.points.size(); ++t) {
    if (!series.points[t]) continue;
    svg.raw("<g><title>" + xml_escape(tooltip(series, *series.points[t], curve.ticks[t])) +
            "</title>" + marker(which, plot.x(t, which), plot.y(series.points[t]->value)) + "</g>");
  }
}

void draw_labels(Svg& svg, const Curve& curve, const Plot& plot, bool below) {
  std::vector<EndLabel> labels;
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    const auto& points = curve.series[s].points;
    for (std::size_t t = points.size(); t-- > 0;) {
      if (!points[t]) continue;
      labels.push_back({.series = s,
                        .name = curve.series[s].name,
                        .from_x = plot.x(t, s),
                        .y = plot.y(points[t]->value)});
      break;
    }
  }
  if (below)
    draw_key(svg, labels, kFrameTop + kFrameHeight + kBottom - 30);
  else
    draw_end_labels(svg, std::move(labels), plot.width);
}

}  // namespace

std::string draw_curve(const Curve& curve, Form form) {
  expect(!curve.ticks.empty(), "a curve has ticks");
  for (const CurveSeries& series : curve.series) {
    expect(series.points.size() == curve.ticks.size(), "a series has one point per tick");
  }
  const double ticks = static_cast<double>(curve.ticks.size());
  const bool is_narrow = form == Form::narrow;
  Plot plot{
      .width = is_narrow ? kNarrowPlot
                         : std::max({420.0, kTickGap * ticks, 1.15 * text_width(curve.title) * 17}),
      .ticks = curve.ticks.size(),
      .series = std::max<std::size_t>(curve.series.size(), 1),
      .axis = curve.log_values ? ValueAxis::of_powers(smallest_value(curve), largest_value(curve))
                               : ValueAxis::from_zero(largest_value(curve))};
  std::vector<std::string> names;
  for (const CurveSeries& series : curve.series) names.push_back(series.name);
  const bool below = names_below(form, names.size());
  Svg svg(kFrameLeft + plot.width + space_beside(form, names),
          kFrameTop + kFrameHeight + kBottom + (below ? key_height(names.size()) - 30 : 0),
          curve.title);
  draw_axes(svg, curve, plot, form);
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    for (const auto& points : stretches(curve.series[s], plot, s)) draw_stretch(svg, points, s);
  }
  for (std::size_t s = 0; s < curve.series.size(); ++s) draw_markers(svg, curve, plot, s);
  draw_labels(svg, curve, plot, below);
  return std::move(svg).finish();
}

Curve curve_of(const score::LengthReport& report, const std::string& title) {
  Curve curve{.title = title, .x_label = report.unit + " in the source", .y_label = "BLEU"};
  const auto is_empty = [&](std::size_t bucket) {
    return report.buckets[bucket].sentences.empty();
  };
  std::size_t first = 0, end = report.buckets.size();
  while (end > 1 && is_empty(end - 1)) --end;
  while (first + 1 < end && is_empty(first)) ++first;
  for (std::size_t b = first; b < end; ++b) {
    curve.ticks.push_back(report.buckets[b].label());
    const std::size_t count = report.buckets[b].sentences.size();
    curve.notes.push_back(count == 0 ? "none" : counted(static_cast<int64_t>(count), "sentence"));
  }
  for (const score::SystemLengths& system : report.systems) {
    CurveSeries series{.name = system.name};
    for (std::size_t b = first; b < end; ++b) {
      const auto& score = system.buckets[b];
      series.points.push_back(score ? std::optional(CurvePoint{score->bleu.score, score->interval})
                                    : std::nullopt);
    }
    curve.series.push_back(std::move(series));
  }
  return curve;
}

}  // namespace heed::draw
