#include "draw/frame.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heed::draw {
namespace {

constexpr double kLabelSize = 13, kLabelLine = 19;

std::string value_text(const ValueAxis& axis, double value) {
  if (axis.step > 0 || value >= 0.01) return short_number(value);
  return "1e" + std::to_string(std::lround(std::log10(value)));  // a grid line of a log axis
}

// From the top down: no label nearer than a line to the one above; then the block moves up where it
// left the plot. The heights where the labels stand, in the order of `labels`, which it sorts.
std::vector<double> spread(std::vector<EndLabel>& labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
  std::vector<double> heights;
  double next = kFrameTop;
  for (const EndLabel& label : labels) {
    heights.push_back(std::max(label.y, next));
    next = heights.back() + kLabelLine;
  }
  double limit = kFrameTop + kFrameHeight;
  for (auto height = heights.rbegin(); height != heights.rend(); ++height) {
    *height = std::min(*height, limit);
    limit = *height - kLabelLine;
  }
  return heights;
}

}  // namespace

double tick_step(double range, double least) {
  double step = least;
  constexpr std::array<double, 3> kGrow = {2, 2.5, 2};
  for (std::size_t i = 0; range / step > 6 && i < 60; ++i) step *= kGrow[i % 3];
  return step;
}

ValueAxis ValueAxis::from_zero(double largest) {
  const double top = std::max(largest, 1.0), step = tick_step(top, 0.1);
  return {.low = 0, .high = step * std::ceil(top / step - 1e-9), .step = step};
}

ValueAxis ValueAxis::around(double smallest, double largest) {
  if (!(smallest <= largest)) return {.low = 0, .high = 1, .step = 0.2};
  const double step = tick_step(largest - smallest, 0.01);
  const double low = step * std::floor(smallest / step + 1e-9);
  return {.low = low,
          .high = std::max(low + step, step * std::ceil(largest / step - 1e-9)),
          .step = step};
}

ValueAxis ValueAxis::of_powers(double smallest, double largest) {
  expect(smallest > 0 && largest > 0, "values of a log axis are above 0");
  const double low = std::pow(10, std::floor(std::log10(std::min(smallest, largest))));
  return {.low = low,
          .high = std::max(10 * low, std::pow(10, std::ceil(std::log10(largest)))),
          .step = 0};
}

double ValueAxis::y(double value) const {
  const double share =
      step == 0 ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return kFrameTop + kFrameHeight * (1 - share);
}

std::vector<double> ValueAxis::grid() const {
  std::vector<double> values;
  if (step == 0) {
    for (double value = low; value < 2 * high; value *= 10) values.push_back(value);
  } else {
    for (int i = 0; low + i * step <= high + step / 2; ++i) values.push_back(low + i * step);
  }
  return values;
}

void draw_frame(Svg& svg, const ValueAxis& axis, double width, const std::string& title,
                const std::string& x_label, const std::string& y_label, double drop) {
  for (const double value : axis.grid()) {
    const double y = axis.y(value);
    svg.line(kFrameLeft, y, kFrameLeft + width, y, value == axis.low ? kAxisColor : kGridColor);
    svg.text(kFrameLeft - 8, y + 4, value_text(axis, value), {.anchor = "end", .fill = kAxisColor});
  }
  svg.text(kFrameLeft + width / 2, kFrameTop + kFrameHeight + drop, x_label,
           {.size = 13, .anchor = "middle"});
  svg.text(18, kFrameTop + kFrameHeight / 2, y_label,
           {.size = 13, .anchor = "middle", .rotate = -90});
  const double room = std::max(width, kNarrowPlot) / (1.15 * 17);  // bold
  svg.text(kFrameLeft, 26, elide(title, room), {.size = 17, .attributes = "font-weight=\"600\""});
}

void draw_tick(Svg& svg, double x, const std::string& text, double size) {
  constexpr double kBase = kFrameTop + kFrameHeight;
  svg.line(x, kBase, x, kBase + 5, kAxisColor);
  svg.text(x, kBase + 20, text, {.size = size, .anchor = "middle"});
}

std::string marker(std::size_t series, double x, double y) {
  const auto at = [&](double dx, double dy) {
    return short_number(x + dx) + ',' + short_number(y + dy) + ' ';
  };
  const std::string style =
      fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1\"", series_color(series));
  std::string corners;
  switch ((series + series / kSeriesColors) % 4) {  // the second of a colour has another shape
    case 0:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4.8\" {}/>", short_number(x),
                         short_number(y), style);
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
  return fmt::format("<polygon points=\"{}\" {}/>", corners, style);
}

void draw_end_labels(Svg& svg, std::vector<EndLabel> labels, double width) {
  const std::vector<double> heights = spread(labels);
  const double x = kFrameLeft + width + 22;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    svg.line(labels[i].from_x + 7, labels[i].y, x - 9, heights[i], series_color(labels[i].series),
             0.9, "stroke-opacity=\"0.6\"");
    svg.raw(marker(labels[i].series, x, heights[i]));
    svg.text(x + 11, heights[i] + 4.5, labels[i].name, {.size = kLabelSize});
  }
}

void draw_key(Svg& svg, const std::vector<EndLabel>& labels, double top) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double y = top + kLabelLine * (static_cast<double>(i) + 0.5);
    svg.raw(marker(labels[i].series, kFrameLeft + 6, y));
    svg.text(kFrameLeft + 18, y + 4.5, labels[i].name, {.size = kLabelSize});
  }
}

double key_height(std::size_t names) {
  return kLabelLine * static_cast<double>(names) + 10;
}

bool names_below(Form form, std::size_t names) {
  constexpr auto kMost = static_cast<std::size_t>(kFrameHeight / kLabelLine) + 1;
  return form == Form::narrow || names > kMost;
}

double space_beside(Form form, const std::vector<std::string>& names) {
  if (names_below(form, names.size())) return form == Form::narrow ? 12 : 20;  // half a tick's text
  double widest = 0;
  for (const std::string& name : names) widest = std::max(widest, text_width(name) * kLabelSize);
  return widest + 50;
}

}  // namespace heed::draw
