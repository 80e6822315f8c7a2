#include "draw/heatmap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "draw/page_data.h"
#include "draw/png.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

constexpr double kMargin = 14, kTitleHeight = 30, kTitleSize = 16, kNameSize = 14;
constexpr double kAxisNameHeight = 18;  // what an axis name takes beside the labels
constexpr double kInkLegendWidth = 150, kInkLegendHeight = 48;
constexpr double kSlant = 60;         // degrees by which column labels rise
constexpr double kLabelShare = 0.76;  // font size in cells at most: below sin 60 degrees, or
                                      // slanted labels would touch
constexpr double kLongestLabel = 26;  // in units of the font size

/// An element that fills this rectangle with a pixel for each weight.
std::string pixels_of(const study::AttentionMatrix& matrix, double largest, double x, double y,
                      double width, double height) {
  return fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
      short_number(x), short_number(y), short_number(width), short_number(height),
      base64(png_heatmap(matrix, 1, largest)));
}

/// The room that the labels of each `every`-th token take, in units of the font size.
double label_width(const std::vector<std::string>& tokens, std::size_t every = 1) {
  double width = 0;
  for (std::size_t i = 0; i < tokens.size(); i += every)
    width = std::max(width, text_width(tokens[i]));
  return std::min(width, kLongestLabel);
}

/// A label for each `every`-th cell of size `cell`, from the first one on: the rows' end at `x`,
/// the first cell's top at `y`; the columns' stand on `y` and rise, the first cell's left at `x`.
/// Very long tokens are cut short and whole in the tooltip; each runs in its own direction.
struct LabelStyle {
  double cell = 0, font = 0;
  std::size_t every = 1;
};

/// `x` is the side that reading in the picture's direction begins from ("start") or ends at
/// ("end").
void draw_label(Svg& svg, double x, double y, const std::string& token, TextStyle style) {
  const std::string text = elide(token, kLongestLabel);
  if (text != token) style.tooltip = token;
  if (is_right_to_left(token)) {
    style.anchor = style.anchor == "end" ? "start" : "end";
    style.attributes += " direction=\"rtl\" unicode-bidi=\"embed\"";
  }
  svg.text(x, y, text, style);
}

void draw_row_labels(Svg& svg, const std::vector<std::string>& tokens, double x, double y,
                     const LabelStyle& style) {
  for (std::size_t row = 0; row < tokens.size(); row += style.every)
    draw_label(svg, x, y + style.cell * (static_cast<double>(row) + 0.5) + style.font * 0.36,
               tokens[row], {.size = style.font, .anchor = "end"});
}

void draw_column_labels(Svg& svg, const std::vector<std::string>& tokens, double x, double y,
                        const LabelStyle& style) {
  for (std::size_t column = 0; column < tokens.size(); column += style.every) {
    const double foot = x + style.cell * (static_cast<double>(column) + 0.5) + style.font * 0.25;
    draw_label(svg, foot, y, tokens[column], {.size = style.font, .rotate = -kSlant});
  }
}

/// The bar from 0 to `largest` with its upper left corner at (x, y).
void draw_ink_legend(Svg& svg, double x, double y, double largest) {
  constexpr int kSteps = 30;
  const double step = kInkLegendWidth / kSteps;
  for (int i = 0; i < kSteps; ++i)
    svg.rectangle(x + step * i, y, step + 0.3, 10, ink((i + 0.5) / kSteps));
  svg.rectangle(x, y, kInkLegendWidth, 10, "none", "", "stroke=\"#999999\" stroke-width=\"0.8\"");
  svg.text(x, y + 27, "0", {.size = kNameSize, .fill = "#555555"});
  svg.text(x + kInkLegendWidth, y + 27, fixed(largest, 2),
           {.size = kNameSize, .anchor = "end", .fill = "#555555"});
  svg.text(x + kInkLegendWidth + 10, y + 11, "weight", {.size = kNameSize, .fill = "#555555"});
}

// --- small multiples: layers by heads; or one matrix alone

/// The size of a picture.
struct PictureSize {
  double side;               // the length that is divided among the cells of a panel's longer side
  double smallest, largest;  // cells
  double font;               // of the labels, at most
  double least = 8;          // the same, at least: every second, third, ... token has one then
  bool tooltips = false;     // of each cell
  double scale = 1;          // pixels of a unit
};

constexpr PictureSize kPanel{264, 2, 14, 10.6}, kAlone{372, 2, 14, 10.6};
constexpr PictureSize kLarge{
    .side = 1100, .smallest = 14, .largest = 28, .font = 13, .tooltips = true};
constexpr PictureSize kScrolled = [] {
  PictureSize size = kLarge;
  size.scale = 1.36;
  return size;
}();
constexpr PictureSize kSlide{
    .side = 372, .smallest = 2, .largest = 40, .font = 16, .least = 14, .scale = kSlideScale};
constexpr double kGap = 16;
constexpr int kLevels = 24;  // of ink: more could not be told apart, and runs of equal ones are one

std::vector<int64_t> in_order(std::span<const study::AttentionMatrix> matrices,
                              int64_t study::AttentionMatrix::*number) {
  std::vector<int64_t> out;
  for (const study::AttentionMatrix& matrix : matrices)
    if (std::find(out.begin(), out.end(), matrix.*number) == out.end())
      out.push_back(matrix.*number);
  return out;
}

double index_of(const std::vector<int64_t>& numbers, int64_t number) {
  return static_cast<double>(std::find(numbers.begin(), numbers.end(), number) - numbers.begin());
}

/// Above a picture alone, the model's name has a line of its own. Nothing of no title.
std::vector<std::string> title_lines(const std::string& title, bool alone) {
  if (title.empty()) return {};
  const std::size_t colon = alone ? title.rfind(": ") : std::string::npos;
  if (colon == std::string::npos) return {title};
  return {title.substr(0, colon), title.substr(colon + 2)};
}

struct PanelGrid {
  std::vector<int64_t> layers, heads;
  double cell = 0;
  LabelStyle labels;
  bool alone = false, tooltips = false;
  std::vector<std::string> title;
  double names = 0;              // where what the columns are is written
  double width = 0, height = 0;  // of one panel
  double left = 0, top = 0;      // of the first
  double legend = 0;             // its top
  double total_width = 0, total_height = 0;

  double x(const study::AttentionMatrix& panel) const {
    return left + index_of(heads, panel.head) * (width + kGap);
  }
  double y(const study::AttentionMatrix& panel) const {
    return top + index_of(layers, panel.layer) * (height + kGap);
  }
};

PanelGrid lay_out(std::span<const study::AttentionMatrix> matrices, const std::string& title,
                  const PictureSize& size) {
  const study::AttentionMatrix& first = matrices[0];
  const auto rows = static_cast<double>(first.target.size());
  const auto columns = static_cast<double>(first.source.size());
  PanelGrid at{.layers = in_order(matrices, &study::AttentionMatrix::layer),
               .heads = in_order(matrices, &study::AttentionMatrix::head)};
  at.alone = matrices.size() == 1;
  at.tooltips = size.tooltips && first.weights.size() <= kMostDrawnCells;
  at.cell = std::clamp(std::floor(size.side / std::max({rows, columns, 1.0})), size.smallest,
                       size.largest);
  const double every = std::ceil(size.least / (at.cell * kLabelShare));
  at.labels = {.cell = at.cell,
               .font = std::min(size.font, every * at.cell * kLabelShare),
               .every = static_cast<std::size_t>(every)};
  at.width = at.cell * columns;
  at.height = at.cell * rows;
  const auto room = [&](const std::vector<std::string>& tokens) {
    return label_width(tokens, at.labels.every) * at.labels.font;
  };
  // How far the labels of columns reach above their cells and beyond the last.
  const double slant = kSlant * M_PI / 180, label = room(first.source);
  const double above = label * std::sin(slant) + 13, beyond = label * std::cos(slant) + 13;
  const double layers = at.alone ? 0 : text_width("layer 00") * kNameSize + 8;
  at.left = kMargin + kAxisNameHeight + layers + room(first.target) + 8;
  at.title = title_lines(title, at.alone);
  at.names = kMargin + (at.title.empty() ? 0 : kTitleHeight) + (at.title.size() > 1 ? 16 : 0) +
             (at.alone ? 0 : kNameSize + 6);
  at.top = at.names + kAxisNameHeight + above;
  const double bottom = at.top + static_cast<double>(at.layers.size()) * (at.height + kGap) - kGap;
  at.legend = bottom + 16;
  at.total_height = at.legend + kInkLegendHeight;
  const double right =
      at.left + static_cast<double>(at.heads.size()) * (at.width + kGap) - kGap + beyond;
  at.total_width = kMargin + std::max(right, at.left + kInkLegendWidth + 90);
  for (const std::string& line : at.title)
    at.total_width = std::max(at.total_width, 2 * kMargin + 1.15 * text_width(line) * kTitleSize);
  return at;
}

/// One path per level of ink, in cells; white ones are left out.
std::string cells(const study::AttentionMatrix& matrix, double largest) {
  if (matrix.weights.size() > kMostDrawnCells)
    return pixels_of(matrix, largest, 0, 0, static_cast<double>(matrix.source.size()),
                     static_cast<double>(matrix.target.size()));
  std::array<std::string, kLevels + 1> paths;
  const auto level = [&](std::size_t row, std::size_t column) {
    const double share = std::clamp(matrix.at(row, column) / largest, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * kLevels));
  };
  const std::size_t columns = matrix.source.size();
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    for (std::size_t from = 0, to = 0; from < columns; from = to) {
      for (to = from + 1; to < columns && level(row, to) == level(row, from);) ++to;
      paths[level(row, from)] += fmt::format("M{} {}h{}v1h-{}z", from, row, to - from, to - from);
    }
  }
  std::string out;
  for (std::size_t i = 1; i <= kLevels; ++i)
    if (!paths[i].empty())
      out += fmt::format("<path fill=\"{}\" d=\"{}\"/>", ink(static_cast<double>(i) / kLevels),
                         paths[i]);
  return out;
}

/// "layer 0, head 3: at most 0.93, dog → Hund".
std::string summary(const study::AttentionMatrix& matrix) {
  std::string text = describe(matrix);
  if (matrix.weights.empty()) return text;
  const auto most = std::max_element(matrix.weights.begin(), matrix.weights.end());
  const auto index = static_cast<std::size_t>(most - matrix.weights.begin());
  const std::size_t columns = matrix.source.size();
  return fmt::format("{}: at most {}, {} \u2192 {}", text, fixed(*most, 4),
                     matrix.target[index / columns], matrix.source[index % columns]);
}

void draw_cells(Svg& svg, const study::AttentionMatrix& matrix, const PanelGrid& at,
                double largest) {
  for (std::size_t row = 0; row < matrix.target.size(); ++row)
    for (std::size_t column = 0; column < matrix.source.size(); ++column) {
      const double weight = matrix.at(row, column);
      svg.rectangle(at.left + at.cell * static_cast<double>(column),
                    at.top + at.cell * static_cast<double>(row), at.cell - 1, at.cell - 1,
                    ink(weight / largest),
                    fmt::format("{} \u2192 {}: {}", matrix.target[row], matrix.source[column],
                                fixed(weight, 4)));
    }
}

void draw_panel(Svg& svg, const study::AttentionMatrix& panel, const PanelGrid& at,
                double largest) {
  const double x = at.x(panel), y = at.y(panel);
  if (!at.tooltips) svg.raw("<g><title>" + xml_escape(summary(panel)) + "</title>");
  svg.rectangle(x - 0.5, y - 0.5, at.width + 1, at.height + 1, "#ffffff", "",
                "stroke=\"#999999\" stroke-width=\"1\"");
  if (at.tooltips) return draw_cells(svg, panel, at, largest);
  svg.raw(fmt::format(
      "<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({})\">{}</g></g>",
      short_number(x), short_number(y), short_number(at.cell), cells(panel, largest)));
}

void draw_names(Svg& svg, const study::AttentionMatrix& first, const PanelGrid& at) {
  const std::string bold = "font-weight=\"600\"";
  const AxisNames axes = axis_names(first);
  svg.text(at.left, at.names + 10, axes.columns, {.size = kNameSize, .fill = "#555555"});
  svg.text(kMargin + 8, (at.top + at.legend - 16) / 2, axes.rows,
           {.size = kNameSize, .anchor = "middle", .fill = "#555555", .rotate = -90});
  for (std::size_t i = 0; i < at.heads.size(); ++i) {
    const double x = at.left + static_cast<double>(i) * (at.width + kGap);
    if (!at.alone)
      svg.text(x, at.names - 6, at.heads[i] < 0 ? "mean" : "head " + study::head_name(at.heads[i]),
               {.size = kNameSize, .attributes = bold});
    draw_column_labels(svg, first.source, x, at.top - 6, at.labels);
  }
  for (std::size_t i = 0; i < at.layers.size(); ++i) {
    const double y = at.top + static_cast<double>(i) * (at.height + kGap);
    if (!at.alone)
      svg.text(kMargin + kAxisNameHeight, y + at.height / 2 + kNameSize * 0.36,
               "layer " + std::to_string(at.layers[i]), {.size = kNameSize, .attributes = bold});
    draw_row_labels(svg, first.target, at.left - 7, y, at.labels);
  }
}

std::string draw(std::span<const study::AttentionMatrix> matrices, const std::string& title,
                 const PictureSize& size) {
  expect(!matrices.empty(), "a grid has pictures");
  for (const study::AttentionMatrix& matrix : matrices) {
    check(matrix);
    expect(matrix.target.size() == matrices[0].target.size() &&
               matrix.source.size() == matrices[0].source.size(),
           "the pictures of a grid are of one sentence");
  }
  const double largest = largest_weight(matrices);
  const PanelGrid at = lay_out(matrices, title, size);
  Svg svg(at.total_width, at.total_height, title.empty() ? describe(matrices[0]) : title,
          size.scale);
  for (std::size_t i = 0; i < at.title.size(); ++i)
    svg.text(kMargin, kMargin + 14 + 18 * static_cast<double>(i), at.title[i],
             {.size = i == 0 ? kTitleSize : kNameSize,
              .attributes = i == 0 ? "font-weight=\"600\"" : ""});
  draw_names(svg, matrices[0], at);
  for (const study::AttentionMatrix& matrix : matrices) draw_panel(svg, matrix, at, largest);
  draw_ink_legend(svg, at.left, at.legend, largest);
  return std::move(svg).finish();
}

}  // namespace

double largest_weight(std::span<const study::AttentionMatrix> matrices) {
  double largest = 0;
  for (const study::AttentionMatrix& matrix : matrices)
    for (const float weight : matrix.weights) largest = std::max<double>(largest, weight);
  return largest > 0 ? largest : 1;
}

std::string describe(const study::AttentionMatrix& matrix) {
  const std::string title = study::title_of(matrix.kind);
  if (!is_attention(matrix.kind)) return title;  // other evidence is of the whole model
  return title + ", " + study::layer_and_head(matrix.layer, matrix.head);
}

AxisNames axis_names(const study::AttentionMatrix& matrix) {
  if (matrix.kind == study::AttentionKind::encoder) return {"source, looking", "source, looked at"};
  if (matrix.kind == study::AttentionKind::decoder)
    return {"target, looking", "target so far, looked at"};
  return {"target", "source"};
}

std::string draw_heatmap(const study::AttentionMatrix& matrix, const std::string& title,
                         Form form) {
  return draw({&matrix, 1}, title,
              form == Form::slides     ? kSlide
              : form == Form::scrolled ? kScrolled
                                       : kLarge);
}

std::string draw_heatmap_grid(std::span<const study::AttentionMatrix> matrices,
                              const std::string& title, Form form) {
  if (form == Form::slides) return draw(matrices, title, kSlide);
  return draw(matrices, title, matrices.size() == 1 ? kAlone : kPanel);
}

}  // namespace heed::draw
