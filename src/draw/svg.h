// SVG by hand: escaped text, short numbers, one element per call.
#pragma once

#include <string>
#include <string_view>

namespace heed::draw {

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
