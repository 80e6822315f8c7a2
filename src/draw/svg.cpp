#include "draw/svg.h"

#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.h"
#include "base/strings.h"
#include "text/utf8.h"

namespace heed::draw {
namespace {

// Lightness falls evenly, so the order survives print and every kind of colour vision.
constexpr std::array<Colour, 5> kInk = {
    {{255, 255, 255}, {199, 220, 239}, {107, 174, 214}, {33, 113, 181}, {8, 29, 88}}};

constexpr double kLabelSize = 16, kLabelLine = 22;

// From the top down: no label nearer than a line to the one above; then the block moves up where it
// left the plot. The heights where the labels stand, in the order of `labels`, which it sorts.
std::vector<double> spread(std::vector<EndLabel>& labels) {
  std::ranges::stable_sort(labels, {}, &EndLabel::y);
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

bool between(char32_t c, char32_t low, char32_t high) {
  return c >= low && c <= high;
}

/// 0 of marks above or below others, and of what joins emoji.
double width_of(char32_t c) {
  constexpr std::string_view kNarrow = "iljtfrI.,:;!'|()[]- ", kBroad = "mwMW@%";
  const int columns = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
  if (columns == 0) return 0;
  if (columns == 2 || between(c, 0x1F1E6, 0x1F1FF)) return 1.05;  // two of the latter are a flag
  if (c < 0x80 && kNarrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.36;
  if (c < 0x80 && kBroad.find(static_cast<char>(c)) != std::string_view::npos) return 0.95;
  return c == 0x2581 ? 0.85 : between(c, 'A', 'Z') ? 0.7 : 0.6;
}

/// Returns the character at `at` with all that may not be separated from it: marks, joined emoji,
/// the halves of a flag.
std::size_t cluster_end(const std::u32string& text, std::size_t at) {
  utf8proc_int32_t state = 0;
  std::size_t end = at + 1;
  while (end < text.size() &&
         !utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text[end - 1]),
                                           static_cast<utf8proc_int32_t>(text[end]), &state))
    ++end;
  return end;
}

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

double text_width(std::string_view line) {
  const std::u32string points = text::decode_utf8(line);
  double width = 0;
  for (std::size_t at = 0; at < points.size(); at = cluster_end(points, at))
    width += width_of(points[at]);
  return width;
}

std::string elide(std::string_view line, double width) {
  if (text_width(line) <= width) return std::string(line);
  const std::u32string points = text::decode_utf8(line);
  const double room = width - width_of(U'\u2026');
  std::size_t at = 0;
  for (double used = 0; at < points.size(); at = cluster_end(points, at)) {
    used += width_of(points[at]);
    if (used > room) break;
  }
  return text::encode_utf8(points.substr(0, at)) + "\u2026";
}

bool is_right_to_left(std::string_view line) {
  for (const char32_t c : text::decode_utf8(line)) {
    const auto way = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->bidi_class;
    if (way == UTF8PROC_BIDI_CLASS_R || way == UTF8PROC_BIDI_CLASS_AL) return true;
    if (way == UTF8PROC_BIDI_CLASS_L) return false;
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

Svg::Svg(double width, double height, std::string_view title, double scale) {
  const std::string w = short_number(std::ceil(width)), h = short_number(std::ceil(height));
  const auto pixels = [&](double size) { return short_number(scale * std::ceil(size)); };
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "role=\"img\" font-family=\"system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif\">\n",
      pixels(width), pixels(height), w, h);
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

double ValueAxis::y(double value) const {
  return kFrameTop + kFrameHeight * (1 - (value - low) / (high - low));
}

std::vector<double> ValueAxis::grid() const {
  std::vector<double> values;
  for (int i = 0; low + i * step <= high + step / 2; ++i) values.push_back(low + i * step);
  return values;
}

void draw_frame(Svg& svg, const ValueAxis& axis, double width, const std::string& title,
                const std::string& x_label, const std::string& y_label, double drop) {
  for (const double value : axis.grid()) {
    const double y = axis.y(value);
    svg.line(kFrameLeft, y, kFrameLeft + width, y, value == axis.low ? kAxisColor : kGridColor);
    svg.text(kFrameLeft - 8, y + 5, short_number(value), {.anchor = "end", .fill = kAxisColor});
  }
  svg.text(kFrameLeft + width / 2, kFrameTop + kFrameHeight + drop, x_label,
           {.size = kLabelSize, .anchor = "middle"});
  svg.text(18, kFrameTop + kFrameHeight / 2, y_label,
           {.size = kLabelSize, .anchor = "middle", .rotate = -90});
  const double room = std::max(width, kNarrowPlot) / (1.15 * 20);  // bold
  svg.text(kFrameLeft, 26, elide(title, room), {.size = 20, .attributes = "font-weight=\"600\""});
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
    svg.text(x + 11, heights[i] + 5, labels[i].name, {.size = kLabelSize});
  }
}

void draw_key(Svg& svg, const std::vector<EndLabel>& labels, double top) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double y = top + kLabelLine * (static_cast<double>(i) + 0.5);
    svg.raw(marker(labels[i].series, kFrameLeft + 6, y));
    svg.text(kFrameLeft + 18, y + 5, labels[i].name, {.size = kLabelSize});
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
