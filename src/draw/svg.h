// SVG by hand: escaped text and its width, short numbers, colours, one element per call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::draw {

inline constexpr std::size_t kSeriesColors = 8;

/// The colour of the i-th series, apart from the others for colour-blind eyes, too (Okabe and Ito
/// 2008); repeats after kSeriesColors.
std::string series_color(std::size_t index);

using Colour = std::array<uint8_t, 3>;  // red, green, blue

/// White for 0, dark blue for 1; `share` is clamped to [0, 1].
Colour ink_colour(double share);
/// Returns the colour as "#107ab5".
std::string ink(double share);

/// Width of the line in units of one font size: East Asian letters and emoji 1 (however many code
/// points an emoji has), narrow Latin letters less, combining marks 0. An estimate for sans-serif
/// fonts, a little generous.
double text_width(std::string_view line);

/// The line, or as much of it as fits with an ellipsis into `width`, in units of text_width; never
/// cut between a letter and its accents or inside an emoji.
std::string elide(std::string_view line, double width);

/// Whether the first letter is of a script that runs from right to left (rules P2 and P3 of the
/// Unicode bidirectional algorithm).
bool is_right_to_left(std::string_view line);

/// Text as it may stand in XML and HTML, in elements and in attributes; control characters that XML
/// forbids become U+FFFD.
std::string xml_escape(std::string_view text);

/// Returns the number with at most two decimals and no trailing zeros: "12.5".
std::string short_number(double value);

/// How text stands: anchor start, middle or end; `attributes` is appended as it is.
struct TextStyle {
  double size = 16;
  std::string anchor = "start";
  std::string fill = "#222222";
  double rotate = 0;  // degrees, around its position
  std::string attributes;
  std::string tooltip;
};

/// A drawing of fixed size on a white ground, in pixels.
class Svg {
 public:
  /// `title` is the picture's name for screen readers. `scale`: pixels of a unit in which
  /// everything is drawn.
  Svg(double width, double height, std::string_view title, double scale = 1);

  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
            std::string_view attributes = "");
  void rectangle(double x, double y, double width, double height, std::string_view fill,
                 std::string_view tooltip = "", std::string_view attributes = "");
  void text(double x, double y, std::string_view content, const TextStyle& style = {});
  void raw(std::string_view element);

  /// The whole document; without the XML declaration, so that it can stand in HTML.
  std::string finish() &&;

 private:
  std::string out_;
};

inline constexpr double kFrameLeft = 64, kFrameTop = 52, kFrameHeight = 330;  // pixels
inline constexpr const char* kAxisColor = "#555555";
inline constexpr const char* kGridColor = "#e4e4e4";

/// 1, 2 or 5 times a power of ten, so that three to six steps cover `range`; at least `least`,
/// which is a power of ten.
double tick_step(double range, double least);

/// The vertical axis.
struct ValueAxis {
  double low = 0, high = 100;
  double step = 20;  // between grid lines

  /// Returns an axis from 0 to `largest` and a little more.
  static ValueAxis from_zero(double largest);
  /// Whole steps around both; 0 to 1 where they are no numbers.
  static ValueAxis around(double smallest, double largest);

  /// Returns the coordinate in pixels.
  double y(double value) const;
  std::vector<double> grid() const;
};

/// The use of a picture: a page or a file; a page in which it scrolls, with letters of 14 pixels or
/// more; the 360 pixels of a phone, where names stand below it; or slides, with letters of 28.
enum class Form { wide, scrolled, narrow, slides };
inline constexpr double kSlideScale = 2;    // pixels of a unit
inline constexpr double kNarrowPlot = 284;  // pixels

/// Title, names of both axes, and the grid with its values. `width` is that of the plot, `drop` how
/// far below it the horizontal axis has its name. What is too wide of the title is left out.
void draw_frame(Svg& svg, const ValueAxis& axis, double width, const std::string& title,
                const std::string& x_label, const std::string& y_label, double drop = 64);

/// A mark on the horizontal axis and its text.
void draw_tick(Svg& svg, double x, const std::string& text, double size);

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

/// Draws the names of the key below each other, from `top` on.
void draw_key(Svg& svg, const std::vector<EndLabel>& labels, double top);

/// Returns the height that draw_key() needs for so many names.
double key_height(std::size_t names);

/// Returns the width that is needed beside the plot, with the names if they stand there.
double space_beside(Form form, const std::vector<std::string>& names);

}  // namespace heed::draw
