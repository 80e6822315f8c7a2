// What pictures of values share: the frame with its grid, and the names at the ends of lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace heed::draw {

inline constexpr double kFrameLeft = 64, kFrameTop = 52, kFrameHeight = 330;  // pixels
inline constexpr const char* kAxisColor = "#555555";
inline constexpr const char* kGridColor = "#e4e4e4";

/// 1, 2 or 5 times a power of ten, so that three to six steps cover `range`; at least `least`,
/// which is a power of ten.
double tick_step(double range, double least);

/// The vertical axis.
struct ValueAxis {
  double low = 0, high = 100;
  double step = 20;  // between grid lines; 0: powers of ten are evenly spaced

  /// 0 to `largest` and a little more.
  static ValueAxis from_zero(double largest);
  /// Whole steps around both; 0 to 1 where they are no numbers.
  static ValueAxis around(double smallest, double largest);
  /// Powers of ten around both, which are above 0.
  static ValueAxis of_powers(double smallest, double largest);

  /// In pixels.
  double y(double value) const;
  std::vector<double> grid() const;
};

/// For a page or a file, or for the 360 pixels of a phone, where names stand below the plot.
enum class Form { wide, narrow };
inline constexpr double kNarrowPlot = 284;  // pixels

/// Title, names of both axes, and the grid with its values. `width` is that of the plot, `drop` how
/// far below it the horizontal axis has its name. What is too wide of the title is left out.
void draw_frame(Svg& svg, const ValueAxis& axis, double width, const std::string& title,
                const std::string& x_label, const std::string& y_label, double drop = 64);

/// A mark on the horizontal axis and its text.
void draw_tick(Svg& svg, double x, const std::string& text, double size = 13);

/// A shape per series, so that lines can be told apart without colour.
std::string marker(std::size_t series, double x, double y);

/// The name of a line, wanted beside its last point.
struct EndLabel {
  std::size_t series = 0;
  std::string name;
  double from_x = 0, y = 0;  // the last point
};

/// Right of a plot of that width, pushed apart where they would touch.
void draw_end_labels(Svg& svg, std::vector<EndLabel> labels, double width);

/// Whether the names stand below the plot, with draw_key(): those of a phone, and those of which
/// more than fit beside it.
bool names_below(Form form, std::size_t names);

/// Below each other from `top` on.
void draw_key(Svg& svg, const std::vector<EndLabel>& labels, double top);

/// What `names` names need there.
double key_height(std::size_t names);

/// What is needed beside the plot, for the names if they stand there.
double space_beside(Form form, const std::vector<std::string>& names);

}  // namespace heed::draw
