#include "draw/bottleneck_drawing.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "draw/palette.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

constexpr double kWide = 440, kHigh = 274;            // pixels
constexpr double kFirst = 24, kStep = 67, kBox = 40;  // states from left to right
constexpr double kDecoder = 52, kEncoder = 186, kBoxHeight = 28;
constexpr std::size_t kStates = 6;
constexpr const char* kInkColor = "#222222";
constexpr const char* kQuietColor = "#555555";

double left_of(std::size_t state) {
  return kFirst + kStep * static_cast<double>(state);
}
double middle_of(std::size_t state) {
  return left_of(state) + kBox / 2;
}

void draw_arrow(Svg& svg, double x1, double y1, double x2, double y2) {
  constexpr double kHead = 7, kHalf = 3.2;
  const double length = std::hypot(x2 - x1, y2 - y1);
  const double x = (x2 - x1) / length, y = (y2 - y1) / length;  // where it points
  const double foot_x = x2 - kHead * x, foot_y = y2 - kHead * y;
  svg.line(x1, y1, foot_x, foot_y, kQuietColor, 1.4);
  const auto corner = [&](double side) {
    return short_number(foot_x - side * y) + ',' + short_number(foot_y + side * x);
  };
  svg.raw("<polygon points=\"" + corner(kHalf) + ' ' + corner(-kHalf) + ' ' + short_number(x2) +
          ',' + short_number(y2) + "\" fill=\"" + kQuietColor + "\"/>");
}

/// A row of states, each of which the next one reads.
void draw_states(Svg& svg, const std::string& letter, double y, const std::string& color) {
  for (std::size_t i = 0; i < kStates; ++i) {
    svg.rectangle(left_of(i), y, kBox, kBoxHeight, "#f2f5f9", "",
                  "stroke=\"" + color + "\" stroke-width=\"1.4\" rx=\"4\"");
    svg.text(middle_of(i), y + 19, letter + std::to_string(i + 1),
             {.size = 13, .anchor = "middle"});
    if (i + 1 < kStates)
      draw_arrow(svg, left_of(i) + kBox, y + kBoxHeight / 2, left_of(i + 1) - 1,
                 y + kBoxHeight / 2);
  }
}

Svg drawing(const std::string& title) {
  Svg svg(kWide, kHigh, title);
  svg.text(kFirst, 24, title, {.size = 15, .attributes = "font-weight=\"600\""});
  draw_states(svg, "s", kDecoder, series_color(1));
  draw_states(svg, "h", kEncoder, series_color(0));
  svg.text(kFirst, kDecoder - 9, "decoder: one state for each target word",
           {.size = 12, .fill = kQuietColor});
  svg.text(kFirst, kEncoder + kBoxHeight + 20, "encoder: one state for each source word",
           {.size = 12, .fill = kQuietColor});
  return svg;
}

void draw_reading(Svg& svg, const std::string& text) {
  svg.text(kFirst, kEncoder + kBoxHeight + 46, text, {.size = 13});
}

}  // namespace

std::string draw_one_vector() {
  Svg svg = drawing("Without attention: one vector");
  constexpr double kLeft = 150, kTop = 112, kWidth = 140;
  draw_arrow(svg, middle_of(kStates - 1), kEncoder, kLeft + kWidth + 2, kTop + kBoxHeight / 2 + 4);
  draw_arrow(svg, kLeft, kTop + kBoxHeight / 2 - 4, middle_of(0) + 6, kDecoder + kBoxHeight + 2);
  svg.rectangle(
      kLeft, kTop, kWidth, kBoxHeight, series_color(0), "",
      "rx=\"4\" fill-opacity=\"0.28\" stroke=\"" + series_color(0) + "\" stroke-width=\"2\"");
  svg.text(kLeft + kWidth / 2, kTop + 19, "the whole sentence",
           {.size = 13, .anchor = "middle", .fill = kInkColor});
  draw_reading(svg, "The decoder gets the last state, and no other.");
  return std::move(svg).finish();
}

std::string draw_all_states() {
  Svg svg = drawing("With attention: all states");
  constexpr std::array<double, kStates> kWeights = {0.03, 0.07, 0.62, 0.18, 0.06, 0.04};
  constexpr std::size_t kReader = 2;
  const double foot = kDecoder + kBoxHeight;
  for (std::size_t i = 0; i < kStates; ++i) {
    const std::string width = short_number(1 + 6 * kWeights[i]);
    svg.raw("<path d=\"M" + short_number(middle_of(i)) + ' ' + short_number(kEncoder) + 'L' +
            short_number(middle_of(kReader)) + ' ' + short_number(foot) + "\" stroke=\"" +
            series_color(0) + "\" stroke-width=\"" + width + "\" stroke-opacity=\"" +
            short_number(0.35 + kWeights[i]) + "\"/>");
  }
  for (std::size_t i = 0; i < kStates; ++i)
    svg.text(middle_of(i), kEncoder - 10, short_number(kWeights[i]),
             {.size = 12,
              .anchor = "middle",
              .fill = kInkColor,
              .attributes = "paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"5\""});
  draw_reading(svg, "Each step reads all states, each by its weight.");
  return std::move(svg).finish();
}

}  // namespace heed::draw
