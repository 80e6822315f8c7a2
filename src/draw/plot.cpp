#include "draw/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "score/bleu_statistics.h"

namespace heed::draw {
namespace {

constexpr double kNarrowTick = 14, kWideTick = 16;  // font sizes
constexpr double kSteep = 0.02;                     // of the longest x

/// The positions of the parts of a plot.
struct Scale {
  double longest = 1;  // x
  double width = 0;    // pixels
  std::size_t ticks = 0, lines = 1;
  ValueAxis axis;

  double x(double value) const {
    if (ticks == 0) return kFrameLeft + width * value / longest;
    return kFrameLeft + width * (value + 0.5) / static_cast<double>(ticks);
  }
  // Over ticks lines stand a little beside each other, or their whiskers would hide one another.
  double x(double value, std::size_t line) const {
    if (ticks == 0) return x(value);
    const double middle = (static_cast<double>(lines) - 1) / 2;
    const double gap = width / static_cast<double>(ticks);
    const double step = std::min(7.0, 0.4 * gap / static_cast<double>(lines));
    return x(value) + step * (static_cast<double>(line) - middle);
  }
  double y(double value) const { return axis.y(value); }
};

Scale scale_of(const Plot& plot, Form form) {
  const bool over_ticks = !plot.ticks.empty();
  double longest = 0, smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  for (const PlotLine& line : plot.lines)
    if (!line.points.empty()) longest = std::max(longest, line.points.back().x);
  const double steep = over_ticks ? 0 : kSteep * longest;
  for (const PlotLine& line : plot.lines) {
    for (const PlotPoint& point : line.points) {
      if (point.x < steep && line.points.back().x >= steep) continue;
      smallest = std::min(smallest, point.value);
      largest = std::max(largest, point.interval ? point.interval->high : point.value);
    }
  }
  Scale scale{.longest = longest > 0 ? longest : 1,
              .lines = std::max<std::size_t>(plot.lines.size(), 1)};
  if (over_ticks) {
    expect(longest < static_cast<double>(plot.ticks.size()), "a point stands over a tick");
    scale.ticks = plot.ticks.size();
  }
  scale.width = 640;
  if (form == Form::narrow)
    scale.width = kNarrowPlot;
  else if (over_ticks)
    scale.width = std::max(
        {420.0, 100.0 * static_cast<double>(scale.ticks), 1.15 * text_width(plot.title) * 20});
  scale.axis = over_ticks ? ValueAxis::from_zero(largest) : ValueAxis::around(smallest, largest);
  return scale;
}

/// Returns the number at the end of an axis.
std::string number_text(double value) {
  return value < 10000 ? short_number(value) : human_count(value);
}

/// Returns a tick in the unit that the axis's last number has: 0, 5k, 10k.
std::string tick_text(double tick, double longest) {
  if (tick == 0 || longest < 10000) return short_number(tick);
  return longest < 1e7 ? short_number(tick / 1e3) + 'k' : short_number(tick / 1e6) + 'M';
}

/// Named ones, of which every second, third, ... has its text where there is little room, or whole
/// steps from 0 to the longest x.
void draw_ticks(Svg& svg, const Plot& plot, const Scale& scale, Form form) {
  const double size = form == Form::narrow ? kNarrowTick : kWideTick;
  if (scale.ticks == 0) {
    const double step = tick_step(scale.longest, 0.1);
    for (int i = 0; i * step <= scale.longest * (1 + 1e-9); ++i)
      draw_tick(svg, scale.x(i * step), tick_text(i * step, scale.longest), size);
    return;
  }
  std::size_t every = 1;
  if (form == Form::narrow) {
    double widest = 0;
    for (const std::string& tick : plot.ticks) widest = std::max(widest, text_width(tick));
    const double gap = scale.width / static_cast<double>(scale.ticks);
    every = static_cast<std::size_t>(std::ceil((widest * size + 3) / gap));
  }
  for (std::size_t t = 0; t < scale.ticks; ++t) {
    const double x = scale.x(static_cast<double>(t));
    draw_tick(svg, x, t % every == 0 ? plot.ticks[t] : "", size);
    if (form != Form::narrow && t < plot.notes.size())
      svg.text(x, kFrameTop + kFrameHeight + 40, plot.notes[t],
               {.size = 15, .anchor = "middle", .fill = "#666666"});
  }
}

std::string polyline(const std::string& points, const std::string& color, const char* width,
                     bool dashed, const std::string& attributes = "") {
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "stroke-linejoin=\"round\"{}{}",
      points, color, width, attributes, dashed ? " stroke-dasharray=\"6 4\"" : "");
}

std::string coordinates(double x, double y) {
  return short_number(x) + ',' + short_number(y) + ' ';
}

/// A line of one point is a dot.
void draw_line(Svg& svg, const PlotLine& line, const Scale& scale, const std::string& clip) {
  const std::string color = series_color(line.color),
                    title = "><title>" + xml_escape(line.name) + "</title>";
  if (line.points.size() == 1) {
    const PlotPoint& point = line.points.front();
    svg.raw(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"{}</circle>",
                        short_number(scale.x(point.x)), short_number(scale.y(point.value)), color,
                        title));
    return;
  }
  std::string points;
  for (const PlotPoint& point : line.points)
    points += coordinates(scale.x(point.x), scale.y(point.value));
  svg.raw(
      polyline(points, color, "1.8", line.dashed, fmt::format(" clip-path=\"url(#{})\"", clip)) +
      title + "</polyline>");
}

/// Neighbouring points over ticks, with their intervals.
void draw_stretch(Svg& svg, const PlotLine& line, std::size_t begin, std::size_t end,
                  const Scale& scale, std::size_t which) {
  const std::string color = series_color(which);
  std::string middle, above, below;
  for (std::size_t i = begin; i < end; ++i) {
    const PlotPoint& point = line.points[i];
    const auto [low, high] = point.interval.value_or(score::Interval{point.value, point.value});
    const double x = scale.x(point.x, which);
    middle += coordinates(x, scale.y(point.value));
    above += coordinates(x, scale.y(high));
    below = coordinates(x, scale.y(low)) + below;
  }
  if (line.points[begin].interval)
    svg.raw(fmt::format("<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\"0.13\"/>", above,
                        below, color));
  svg.raw(polyline(middle, color, "2.2", which >= kSeriesColors) + "/>");
  for (std::size_t i = begin; i < end; ++i) {
    const PlotPoint& point = line.points[i];
    if (!point.interval) continue;
    const double x = scale.x(point.x, which), low = scale.y(point.interval->low),
                 high = scale.y(point.interval->high);
    svg.line(x, low, x, high, color, 1.3);
    svg.line(x - 3, low, x + 3, low, color, 1.3);
    svg.line(x - 3, high, x + 3, high, color, 1.3);
  }
}

void draw_stretches(Svg& svg, const PlotLine& line, const Scale& scale, std::size_t which) {
  for (std::size_t begin = 0, end = 0; begin < line.points.size(); begin = end) {
    for (end = begin + 1; end < line.points.size(); ++end)
      if (line.points[end].x > line.points[end - 1].x + 1) break;
    draw_stretch(svg, line, begin, end, scale, which);
  }
}

void draw_markers(Svg& svg, const Plot& plot, const Scale& scale, std::size_t which) {
  const PlotLine& line = plot.lines[which];
  for (const PlotPoint& point : line.points) {
    std::string text =
        fmt::format("{}, {}: {}", line.name, plot.ticks[static_cast<std::size_t>(point.x)],
                    fixed(point.value, 2));
    if (point.interval)
      text +=
          fmt::format(" ({} to {})", fixed(point.interval->low, 2), fixed(point.interval->high, 2));
    svg.raw("<g><title>" + xml_escape(text) + "</title>" +
            marker(which, scale.x(point.x, which), scale.y(point.value)) + "</g>");
  }
}

/// The height of a line at x, between its two nearest points; nothing outside.
std::optional<double> value_at(const PlotLine& line, double x) {
  const auto next = std::ranges::lower_bound(line.points, x, {}, &PlotPoint::x);
  if (next == line.points.end()) return std::nullopt;
  if (next->x == x) return next->value;
  if (next == line.points.begin()) return std::nullopt;
  const PlotPoint& before = *std::prev(next);
  return before.value + (next->value - before.value) * (x - before.x) / (next->x - before.x);
}

}  // namespace

std::string draw_plot(const Plot& plot, Form form) {
  const bool over_ticks = !plot.ticks.empty(), is_narrow = form == Form::narrow;
  const Scale scale = scale_of(plot, form);
  std::vector<EndLabel> labels;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const PlotLine& line = plot.lines[i];
    if (line.name.empty()) continue;
    names.push_back(line.name);
    if (line.points.empty()) continue;
    labels.push_back({.series = over_ticks ? i : line.color,
                      .name = line.name,
                      .from_x = scale.x(line.points.back().x, i),
                      .y = std::max(scale.y(line.points.back().value), kFrameTop)});
  }
  const bool below = names_below(form, names.size());
  const double key = kFrameTop + kFrameHeight + (over_ticks ? 68 : 56);
  Svg svg(kFrameLeft + scale.width + space_beside(form, names),
          below ? key + key_height(names.size()) : key + (over_ticks ? 30 : 16), plot.title,
          form == Form::slides ? kSlideScale : 1);
  const std::string clip = is_narrow ? "narrow-frame" : "frame";
  if (!over_ticks)
    svg.raw(fmt::format(
        "<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>", clip,
        short_number(kFrameLeft), short_number(kFrameTop - 2), short_number(scale.width),
        short_number(kFrameHeight + 4)));
  draw_frame(svg, scale.axis, scale.width, plot.title, plot.x_label, plot.y_label,
             is_narrow || plot.notes.empty() ? 46 : 68);
  draw_ticks(svg, plot, scale, form);
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    if (over_ticks)
      draw_stretches(svg, plot.lines[i], scale, i);
    else if (!plot.lines[i].points.empty())
      draw_line(svg, plot.lines[i], scale, clip);
  for (std::size_t i = 0; over_ticks && i < plot.lines.size(); ++i)
    draw_markers(svg, plot, scale, i);
  if (below)
    draw_key(svg, labels, key);
  else
    draw_end_labels(svg, std::move(labels), scale.width);
  return std::move(svg).finish();
}

std::string plot_text(const Plot& plot, std::size_t width, std::size_t height) {
  const Scale scale = scale_of(plot, Form::wide);
  const ValueAxis& axis = scale.axis;
  std::vector<std::string> rows(height, std::string(width, ' '));
  for (std::size_t l = 0; l < plot.lines.size(); ++l) {
    for (std::size_t column = 0; column < width; ++column) {
      const double x = scale.longest * static_cast<double>(column + 1) / static_cast<double>(width);
      const auto value = value_at(plot.lines[l], x);
      if (!value || *value > axis.high) continue;
      const double share = std::max(0.0, (*value - axis.low) / (axis.high - axis.low));
      const auto row = std::lround((1 - share) * static_cast<double>(height - 1));
      rows[static_cast<std::size_t>(row)][column] = static_cast<char>('a' + l % 26);
    }
  }
  const std::string high = short_number(axis.high), low = short_number(axis.low);
  const std::size_t margin = std::max(high.size(), low.size());
  std::string out = plot.title + " (" + plot.y_label + ")\n";
  for (std::size_t row = 0; row < height; ++row) {
    const std::string label = row == 0 ? high : row + 1 == height ? low : "";
    out += fmt::format("{:>{}} |{}\n", label, margin, rows[row]);
  }
  const std::string end = number_text(scale.longest) + ' ' + plot.x_label;
  out += std::string(margin, ' ') + " +" + std::string(width, '-') + '\n';
  out += fmt::format("{:{}}0{:>{}}\n", "", margin + 2, " " + end, width - 1);
  for (std::size_t l = 0; l < plot.lines.size(); ++l)
    out += std::string(1, static_cast<char>('a' + l % 26)) + "  " + plot.lines[l].name + '\n';
  return out;
}

Plot plot_of(const score::LengthReport& report, const std::string& title) {
  Plot plot{.title = title, .x_label = report.unit + " in the source", .y_label = "BLEU"};
  const auto is_empty = [&](std::size_t bucket) {
    return report.buckets[bucket].sentences.empty();
  };
  std::size_t first = 0, end = report.buckets.size();
  while (end > 1 && is_empty(end - 1)) --end;
  while (first + 1 < end && is_empty(first)) ++first;
  for (std::size_t b = first; b < end; ++b) {
    plot.ticks.push_back(report.buckets[b].label());
    const std::size_t count = report.buckets[b].sentences.size();
    plot.notes.push_back(count == 0 ? "none" : fmt::format("n = {}", count));
  }
  for (const score::SystemLengths& system : report.systems) {
    PlotLine& line = plot.lines.emplace_back(PlotLine{.name = system.name});
    for (std::size_t b = first; b < end; ++b)
      if (const auto& score = system.buckets[b])
        line.points.push_back({static_cast<double>(b - first), score->bleu.score, score->interval});
  }
  return plot;
}

}  // namespace heed::draw
