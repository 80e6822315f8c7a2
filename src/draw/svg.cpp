#include "draw/svg.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/strings.h"
#include "text/unicode.h"

namespace heed::draw {
namespace {

// Lightness falls evenly, so the order survives print and every kind of colour vision.
constexpr std::array<Colour, 5> kInk = {
    {{255, 255, 255}, {199, 220, 239}, {107, 174, 214}, {33, 113, 181}, {8, 29, 88}}};

}  // namespace

std::string series_color(std::size_t index) {
  constexpr std::array<const char*, kSeriesColors> kColors = {
      "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444"};
  return kColors[index % kColors.size()];
}

Colour ink_colour(double share) {
  const double position = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * (kInk.size() - 1);
  const auto from = std::min(static_cast<std::size_t>(position), kInk.size() - 2);
  const double part = position - static_cast<double>(from);
  Colour mixed{};
  for (std::size_t i = 0; i < 3; ++i) {
    mixed[i] = static_cast<uint8_t>(
        std::lround(kInk[from][i] + part * (kInk[from + 1][i] - kInk[from][i])));
  }
  return mixed;
}

std::string ink(double share) {
  const auto [red, green, blue] = ink_colour(share);
  return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue);
}

namespace {

bool between(char32_t c, char32_t low, char32_t high) {
  return c >= low && c <= high;
}

bool is_wide(char32_t c) {
  return between(c, 0x1100, 0x115F) || between(c, 0x2E80, 0xA4CF) || between(c, 0xAC00, 0xD7A3) ||
         between(c, 0xF900, 0xFAFF) || between(c, 0xFE30, 0xFE6F) || between(c, 0xFF00, 0xFF60) ||
         between(c, 0xFFE0, 0xFFE6) || between(c, 0x1F300, 0x1FAFF) || between(c, 0x20000, 0x3FFFD);
}

constexpr char32_t kJoiner = 0x200D;  // glues emoji together

bool is_regional(char32_t c) {  // two of them are a flag
  return between(c, 0x1F1E6, 0x1F1FF);
}

// Vowel signs and marks above or below, which the blocks of India have at the same places.
bool is_indic_mark(char32_t c) {
  const char32_t place = c & 0x7F;
  return between(c, 0x0900, 0x0D7F) &&
         (place <= 0x02 || place == 0x3C || between(place, 0x41, 0x48) || place == 0x4D);
}

bool has_no_width(char32_t c) {
  return between(c, 0x0300, 0x036F) || between(c, 0x0591, 0x05BD) || between(c, 0x064B, 0x065F) ||
         is_indic_mark(c) || c == 0x0E31 || between(c, 0x0E34, 0x0E3A) ||
         between(c, 0x0E47, 0x0E4E) || between(c, 0x200B, 0x200F) || between(c, 0x202A, 0x202E) ||
         between(c, 0x2066, 0x2069) || between(c, 0x20D0, 0x20FF) || between(c, 0xFE00, 0xFE0F) ||
         c == 0xFEFF || between(c, 0x1F3FB, 0x1F3FF) || between(c, 0xE0020, 0xE007F);
}

double width_of(char32_t c) {
  constexpr std::string_view kNarrow = "iljtfrI.,:;!'|()[]- ", kBroad = "mwMW@%";
  if (is_wide(c) || is_regional(c)) return 1.05;
  if (c < 0x80 && kNarrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.36;
  if (c < 0x80 && kBroad.find(static_cast<char>(c)) != std::string_view::npos) return 0.95;
  return c == 0x2581 ? 0.85 : between(c, 'A', 'Z') ? 0.7 : 0.6;
}

// What stands at `at` with all that may not be torn from it: marks, joined emoji, a flag's halves.
std::size_t cluster_end(const std::u32string& text, std::size_t at) {
  std::size_t end = at + 1;
  if (end < text.size() && is_regional(text[at]) && is_regional(text[end])) ++end;
  while (end < text.size() && (has_no_width(text[end]) || text[end - 1] == kJoiner)) ++end;
  return end;
}

double cluster_width(char32_t first) {
  return has_no_width(first) ? 0 : width_of(first);
}

}  // namespace

double text_width(std::string_view line) {
  const std::u32string points = text::decode_utf8(line);
  double width = 0;
  for (std::size_t at = 0; at < points.size(); at = cluster_end(points, at))
    width += cluster_width(points[at]);
  return width;
}

std::string elide(std::string_view line, double width) {
  if (text_width(line) <= width) return std::string(line);
  const std::u32string points = text::decode_utf8(line);
  const double room = width - width_of(U'\u2026');
  std::size_t at = 0;
  for (double used = 0; at < points.size(); at = cluster_end(points, at)) {
    used += cluster_width(points[at]);
    if (used > room) break;
  }
  return text::encode_utf8(points.substr(0, at)) + "\u2026";
}

bool is_right_to_left(std::string_view line) {
  for (const char32_t c : text::decode_utf8(line)) {
    if (text::is_letter(c))
      return between(c, 0x0590, 0x08FF) || between(c, 0xFB1D, 0xFDFF) ||
             between(c, 0xFE70, 0xFEFC) || between(c, 0x10800, 0x10FFF) ||
             between(c, 0x1E800, 0x1EFFF);
  }
  return false;
}

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
  if (style.rotate != 0)
    out_ += fmt::format(" transform=\"rotate({} {} {})\"", short_number(style.rotate),
                        short_number(x), short_number(y));
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
