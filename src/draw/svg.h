// SVG by hand: escaped text and its width, short numbers, colours, one element per call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::draw {

inline constexpr std::size_t kSeriesColors = 8;

/// The colour of the i-th series, apart from the others for colour-blind eyes, too (Okabe and Ito
/// 2008); repeats after kSeriesColors.
std::string series_color(std::size_t index);

using Colour = std::array<uint8_t, 3>;  // red, green, blue

/// White for 0, dark blue for 1; `share` is clamped to [0, 1].
Colour ink_colour(double share);
/// The same as "#107ab5".
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

/// At most two decimals, no trailing zeros: "12.5".
std::string short_number(double value);

/// How text stands: anchor start, middle or end; `attributes` is appended as it is.
struct TextStyle {
  double size = 12;
  std::string anchor = "start";
  std::string fill = "#222222";
  double rotate = 0;  // degrees, around its place
  std::string attributes;
  std::string tooltip;
};

/// A drawing of fixed size on a white ground, in pixels.
class Svg {
 public:
  /// `title` is the picture's name for screen readers.
  Svg(double width, double height, std::string_view title);

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

}  // namespace heed::draw
