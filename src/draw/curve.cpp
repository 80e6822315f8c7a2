#include "draw/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/strings.h"
#include "draw/palette.h"
#include "draw/svg.h"
#include "draw/text_width.h"

namespace heed::draw {
namespace {

constexpr double kLeft = 64, kTop = 52, kPlotHeight = 330, kBottom = 92;
constexpr double kTickGap = 100, kLabelSize = 13, kLabelLine = 19;
constexpr const char* kAxis = "#555555";
constexpr const char* kGrid = "#e4e4e4";

struct Point {
  double x = 0, y = 0, low = 0, high = 0;  // pixels
  bool has_interval = false;
};

// Where things are: x by tick, y by value.
struct Plot {
  double width = 0, bottom_value = 0, top_value = 100;
  std::size_t ticks = 0, series = 0;
  bool log = false;

  double x(std::size_t tick) const {
    return kLeft + width * (static_cast<double>(tick) + 0.5) / static_cast<double>(ticks);
  }
  // Series stand a little beside each other, or their whiskers would hide one another.
  double x(std::size_t tick, std::size_t which) const {
    const double middle = (static_cast<double>(series) - 1) / 2;
    const double step = std::min(7.0, 40.0 / static_cast<double>(series));
    return x(tick) + step * (static_cast<double>(which) - middle);
  }
  double y(double value) const {
    const double share = log ? std::log(value / bottom_value) / std::log(top_value / bottom_value)
                             : value / top_value;
    return kTop + kPlotHeight * (1 - share);
  }
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

// 1, 2 or 5 times a power of ten, so that four to eight lines cover the values.
double tick_step(double largest) {
  double step = 0.1;
  constexpr std::array<double, 3> kGrow = {2, 2.5, 2};
  for (std::size_t i = 0; largest / step > 6 && i < 60; ++i) step *= kGrow[i % 3];
  return step;
}

std::vector<double> grid_values(const Plot& plot) {
  std::vector<double> values;
  const double step = tick_step(plot.top_value);
  if (plot.log) {
    for (double value = plot.bottom_value; value < 2 * plot.top_value; value *= 10)
      values.push_back(value);
  } else {
    for (double value = 0; value <= plot.top_value + step / 2; value += step)
      values.push_back(value);
  }
  return values;
}

std::string value_text(double value) {
  if (value == 0 || value >= 0.01) return short_number(value);
  return "1e" + std::to_string(std::lround(std::log10(value)));  // a grid line of a log axis
}

void draw_axes(Svg& svg, const Curve& curve, const Plot& plot) {
  const double right = kLeft + plot.width, base = plot.y(plot.bottom_value);
  for (const double value : grid_values(plot)) {
    const double y = plot.y(value);
    svg.line(kLeft, y, right, y, value == plot.bottom_value ? kAxis : kGrid);
    svg.text(kLeft - 8, y + 4, value_text(value), {.anchor = "end", .fill = kAxis});
  }
  for (std::size_t t = 0; t < plot.ticks; ++t) {
    svg.line(plot.x(t), base, plot.x(t), base + 5, kAxis);
    svg.text(plot.x(t), base + 20, curve.ticks[t], {.size = 13, .anchor = "middle"});
    if (t < curve.notes.size()) {
      svg.text(plot.x(t), base + 36, curve.notes[t],
               {.size = 11, .anchor = "middle", .fill = "#777777"});
    }
  }
  svg.text(kLeft + plot.width / 2, base + 64, curve.x_label, {.size = 13, .anchor = "middle"});
  const std::string y = short_number(kTop + kPlotHeight / 2);
  svg.text(
      18, kTop + kPlotHeight / 2, curve.y_label,
      {.size = 13, .anchor = "middle", .attributes = "transform=\"rotate(-90 18 " + y + ")\""});
  svg.text(kLeft, 26, curve.title, {.size = 17, .attributes = "font-weight=\"600\""});
}

// A shape per series, so that the lines can be told apart without colour.
std::string marker(std::size_t which, double x, double y, const std::string& color) {
  const auto at = [&](double dx, double dy) {
    return short_number(x + dx) + ',' + short_number(y + dy) + ' ';
  };
  const std::string style = "fill=\"" + color + "\" stroke=\"#ffffff\" stroke-width=\"1\"";
  std::string corners;
  switch (which % 4) {
    case 0:
      return "<circle cx=\"" + short_number(x) + "\" cy=\"" + short_number(y) + "\" r=\"4.8\" " +
             style + "/>";
    case 1:
      corners = at(-4.3, -4.3) + at(4.3, -4.3) + at(4.3, 4.3) + at(-4.3, 4.3);
      break;
    case 2:
      corners = at(0, -5.6) + at(5.2, 4.2) + at(-5.2, 4.2);
      break;
    default:
      corners = at(0, -5.8) + at(5.8, 0) + at(0, 5.8) + at(-5.8, 0);
  }
  corners.pop_back();
  return "<polygon points=\"" + corners + "\" " + style + "/>";
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
            "</title>" +
            marker(which, plot.x(t, which), plot.y(series.points[t]->value), series_color(which)) +
            "</g>");
  }
}

struct Label {
  std::size_t series = 0;
  double wanted = 0, y = 0;  // pixels
  double from_x = 0;         // end of the line it names
};

// From the top down: no label nearer than a line to the one above; then the block moves up where it
// left the plot.
void spread(std::vector<Label>& labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return a.wanted < b.wanted; });
  double next = kTop;
  for (Label& label : labels) {
    label.y = std::max(label.wanted, next);
    next = label.y + kLabelLine;
  }
  double limit = kTop + kPlotHeight;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    label->y = std::min(label->y, limit);
    limit = label->y - kLabelLine;
  }
}

void draw_labels(Svg& svg, const Curve& curve, const Plot& plot) {
  std::vector<Label> labels;
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    const auto& points = curve.series[s].points;
    for (std::size_t t = points.size(); t-- > 0;) {
      if (!points[t]) continue;
      const double y = plot.y(points[t]->value);
      labels.push_back({.series = s, .wanted = y, .y = y, .from_x = plot.x(t, s)});
      break;
    }
  }
  spread(labels);
  const double x = kLeft + plot.width + 22;
  for (const Label& label : labels) {
    const std::string color = series_color(label.series);
    svg.line(label.from_x + 7, label.wanted, x - 9, label.y, color, 0.9, "stroke-opacity=\"0.6\"");
    svg.raw(marker(label.series, x, label.y, color));
    svg.text(x + 11, label.y + 4.5, curve.series[label.series].name, {.size = kLabelSize});
  }
}

double label_space(const Curve& curve) {
  double widest = 0;
  for (const CurveSeries& series : curve.series) {
    widest = std::max(widest, text_width(series.name) * kLabelSize);
  }
  return widest + 50;
}

}  // namespace

std::string draw_curve(const Curve& curve) {
  expect(!curve.ticks.empty(), "a curve has ticks");
  for (const CurveSeries& series : curve.series) {
    expect(series.points.size() == curve.ticks.size(), "a series has one point per tick");
  }
  const double ticks = static_cast<double>(curve.ticks.size());
  Plot plot{.width = std::max({420.0, kTickGap * ticks, 1.15 * text_width(curve.title) * 17}),
            .ticks = curve.ticks.size(),
            .series = std::max<std::size_t>(curve.series.size(), 1),
            .log = curve.log_values};
  if (plot.log) {
    const double smallest = smallest_value(curve), largest = largest_value(curve);
    expect(smallest > 0 && largest > 0, "values of a log axis are above 0");
    plot.bottom_value = std::pow(10, std::floor(std::log10(std::min(smallest, largest))));
    plot.top_value = std::max(10 * plot.bottom_value, std::pow(10, std::ceil(std::log10(largest))));
  } else {
    const double largest = std::max(largest_value(curve), 1.0), step = tick_step(largest);
    plot.top_value = step * std::ceil(largest / step - 1e-9);
  }
  Svg svg(kLeft + plot.width + label_space(curve), kTop + kPlotHeight + kBottom, curve.title);
  draw_axes(svg, curve, plot);
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    for (const auto& points : stretches(curve.series[s], plot, s)) draw_stretch(svg, points, s);
  }
  for (std::size_t s = 0; s < curve.series.size(); ++s) draw_markers(svg, curve, plot, s);
  draw_labels(svg, curve, plot);
  return std::move(svg).finish();
}

Curve curve_of(const score::LengthReport& report, const std::string& title) {
  Curve curve{.title = title, .x_label = "words in the source", .y_label = "BLEU"};
  std::size_t shown = report.buckets.size();
  while (shown > 1 && report.buckets[shown - 1].sentences.empty()) --shown;
  for (std::size_t b = 0; b < shown; ++b) {
    curve.ticks.push_back(report.buckets[b].label());
    const std::size_t count = report.buckets[b].sentences.size();
    curve.notes.push_back(std::to_string(count) + (count == 1 ? " sentence" : " sentences"));
  }
  for (const score::SystemLengths& system : report.systems) {
    CurveSeries series{.name = system.name};
    for (std::size_t b = 0; b < shown; ++b) {
      const auto& score = system.buckets[b];
      series.points.push_back(score ? std::optional(CurvePoint{score->bleu.score, score->interval})
                                    : std::nullopt);
    }
    curve.series.push_back(std::move(series));
  }
  return curve;
}

}  // namespace heed::draw
