#include "draw/lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "draw/frame.h"
#include "draw/palette.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

constexpr double kWidePlot = 640, kBottom = 72;  // pixels
constexpr double kSteep = 0.02;                  // of the longest x

struct Plot {
  double longest = 1;  // x
  ValueAxis axis;
  double width = kWidePlot;

  double x(double value) const { return kFrameLeft + width * value / longest; }
};

Plot plot_of(const Lines& lines) {
  double longest = 0;
  for (const Line& line : lines.lines)
    if (!line.points.empty()) longest = std::max(longest, line.points.back().first);
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  for (const Line& line : lines.lines) {
    for (const auto& [x, value] : line.points) {
      if (x < kSteep * longest && line.points.back().first >= kSteep * longest) continue;
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  }
  return {.longest = longest > 0 ? longest : 1, .axis = ValueAxis::around(smallest, largest)};
}

/// At the end of an axis.
std::string number_text(double value) {
  return value < 10000 ? short_number(value) : human_count(value);
}

/// In the unit that the axis's last number has: 0, 5k, 10k.
std::string tick_text(double tick, double longest) {
  if (tick == 0 || longest < 10000) return short_number(tick);
  return longest < 1e7 ? short_number(tick / 1e3) + 'k' : short_number(tick / 1e6) + 'M';
}

/// Whole steps from 0 to the longest x.
std::vector<double> ticks_of(const Plot& plot) {
  std::vector<double> ticks;
  const double step = tick_step(plot.longest, 0.1);
  for (int i = 0; i * step <= plot.longest * (1 + 1e-9); ++i) ticks.push_back(i * step);
  return ticks;
}

/// A line of one point is a dot.
void draw_line(Svg& svg, const Line& line, const Plot& plot, const std::string& clip) {
  if (line.points.size() == 1) {
    const auto& [x, value] = line.points.front();
    svg.raw("<circle cx=\"" + short_number(plot.x(x)) + "\" cy=\"" +
            short_number(plot.axis.y(value)) + "\" r=\"3\" fill=\"" + series_color(line.color) +
            "\"><title>" + xml_escape(line.name) + "</title></circle>");
    return;
  }
  std::string points;
  for (const auto& [x, value] : line.points)
    points += short_number(plot.x(x)) + ',' + short_number(plot.axis.y(value)) + ' ';
  svg.raw("<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + series_color(line.color) +
          "\" stroke-width=\"1.8\" stroke-linejoin=\"round\" clip-path=\"url(#" + clip + ")\"" +
          (line.dashed ? " stroke-dasharray=\"6 4\"" : "") + "><title>" + xml_escape(line.name) +
          "</title></polyline>");
}

/// The height of a line at x, between its two nearest points; nothing outside.
std::optional<double> value_at(const Line& line, double x) {
  const auto next = std::lower_bound(line.points.begin(), line.points.end(), x,
                                     [](const auto& point, double at) { return point.first < at; });
  if (next == line.points.end()) return std::nullopt;
  if (next->first == x) return next->second;
  if (next == line.points.begin()) return std::nullopt;
  const auto& [x0, y0] = *std::prev(next);
  return y0 + (next->second - y0) * (x - x0) / (next->first - x0);
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace

std::string draw_lines(const Lines& lines, Form form) {
  const bool is_narrow = form == Form::narrow;
  Plot plot = plot_of(lines);
  if (is_narrow) plot.width = kNarrowPlot;
  std::vector<std::string> names;
  for (const Line& line : lines.lines)
    if (!line.name.empty()) names.push_back(line.name);
  const bool below = names_below(form, names.size());
  Svg svg(kFrameLeft + plot.width + space_beside(form, names),
          kFrameTop + kFrameHeight + kBottom + (below ? key_height(names.size()) - 16 : 0),
          lines.title);
  const std::string clip = is_narrow ? "narrow-frame" : "frame";
  svg.raw("<clipPath id=\"" + clip + "\"><rect x=\"" + short_number(kFrameLeft) + "\" y=\"" +
          short_number(kFrameTop - 2) + "\" width=\"" + short_number(plot.width) + "\" height=\"" +
          short_number(kFrameHeight + 4) + "\"/></clipPath>");
  draw_frame(svg, plot.axis, plot.width, lines.title, lines.x_label, lines.y_label, 44);
  for (const double tick : ticks_of(plot))
    draw_tick(svg, plot.x(tick), tick_text(tick, plot.longest), is_narrow ? 11 : 13);
  std::vector<EndLabel> labels;
  for (const Line& line : lines.lines) {
    if (line.points.empty()) continue;
    draw_line(svg, line, plot, clip);
    if (line.name.empty()) continue;
    const auto& [x, value] = line.points.back();
    labels.push_back({.series = line.color,
                      .name = line.name,
                      .from_x = plot.x(x),
                      .y = std::max(plot.axis.y(value), kFrameTop)});
  }
  if (below)
    draw_key(svg, labels, kFrameTop + kFrameHeight + kBottom - 16);
  else
    draw_end_labels(svg, std::move(labels), plot.width);
  return std::move(svg).finish();
}

std::string lines_text(const Lines& lines, std::size_t width, std::size_t height) {
  const Plot plot = plot_of(lines);
  const ValueAxis& axis = plot.axis;
  std::vector<std::string> rows(height, std::string(width, ' '));
  for (std::size_t l = 0; l < lines.lines.size(); ++l) {
    for (std::size_t column = 0; column < width; ++column) {
      const double x = plot.longest * static_cast<double>(column + 1) / static_cast<double>(width);
      const auto value = value_at(lines.lines[l], x);
      if (!value || *value > axis.high) continue;
      const double share = std::max(0.0, (*value - axis.low) / (axis.high - axis.low));
      const auto row = std::lround((1 - share) * static_cast<double>(height - 1));
      rows[static_cast<std::size_t>(row)][column] = static_cast<char>('a' + l % 26);
    }
  }
  const std::string high = short_number(axis.high), low = short_number(axis.low);
  const std::size_t margin = std::max(high.size(), low.size());
  std::string out = lines.title + " (" + lines.y_label + ")\n";
  for (std::size_t row = 0; row < height; ++row) {
    const std::string label = row == 0 ? high : row + 1 == height ? low : "";
    out += padded(label, margin) + " |" + rows[row] + '\n';
  }
  const std::string end = number_text(plot.longest) + ' ' + lines.x_label;
  out += std::string(margin, ' ') + " +" + std::string(width, '-') + '\n';
  out += std::string(margin + 2, ' ') + '0' + padded(" " + end, width - 1) + '\n';
  for (std::size_t l = 0; l < lines.lines.size(); ++l)
    out += std::string(1, static_cast<char>('a' + l % 26)) + "  " + lines.lines[l].name + '\n';
  return out;
}

}  // namespace heed::draw
