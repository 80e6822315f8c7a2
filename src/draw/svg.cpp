#include "draw/svg.h"

#include <cmath>
#include <map>

#include "base/format.h"
#include "base/strings.h"
#include "text/unicode.h"

namespace heed::draw {

std::string xml_escape(std::string_view text) {
  static const std::map<char32_t, const char*> names = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  for (const char32_t c : text::decode_utf8(text)) {
    const bool forbidden =
        (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F || c == 0xFFFE || c == 0xFFFF;
    if (const auto name = names.find(c); name != names.end())
      out += name->second;
    else
      out += forbidden ? "\uFFFD" : text::encode_utf8(std::u32string_view(&c, 1));
  }
  return out;
}

std::string short_number(double value) {
  std::string text = fixed(value, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title) {
  const std::string w = short_number(std::ceil(width)), h = short_number(std::ceil(height));
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "role=\"img\" font-family=\"system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif\">\n",
      w, h, w, h);
  out_ += "<title>" + xml_escape(title) + "</title>\n";
  rectangle(0, 0, std::ceil(width), std::ceil(height), "#ffffff");
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               std::string_view attributes) {
  out_ +=
      fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"",
                  short_number(x1), short_number(y1), short_number(x2), short_number(y2), stroke,
                  short_number(width));
  if (!attributes.empty()) out_ += ' ' + std::string(attributes);
  out_ += "/>\n";
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view fill,
                    std::string_view tooltip, std::string_view attributes) {
  out_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", short_number(x),
                  short_number(y), short_number(width), short_number(height), fill);
  if (!attributes.empty()) out_ += ' ' + std::string(attributes);
  out_ += tooltip.empty() ? "/>\n" : "><title>" + xml_escape(tooltip) + "</title></rect>\n";
}

void Svg::text(double x, double y, std::string_view content, const TextStyle& style) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", short_number(x),
                      short_number(y), short_number(style.size), style.fill);
  if (style.anchor != "start") out_ += " text-anchor=\"" + style.anchor + '"';
  if (!style.attributes.empty()) out_ += ' ' + style.attributes;
  out_ += '>' + xml_escape(content);
  if (!style.tooltip.empty()) out_ += "<title>" + xml_escape(style.tooltip) + "</title>";
  out_ += "</text>\n";
}

void Svg::raw(std::string_view element) {
  out_ += element;
  out_ += '\n';
}

std::string Svg::finish() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace heed::draw
