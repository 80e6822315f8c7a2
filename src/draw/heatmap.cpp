#include "draw/heatmap.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/strings.h"
#include "draw/page_data.h"
#include "draw/palette.h"
#include "draw/png.h"
#include "draw/text_width.h"

namespace heed::draw {
namespace {

constexpr double kMargin = 14, kTitleHeight = 30, kTitleSize = 14;
constexpr double kSlant = 60;         // degrees by which column labels rise
constexpr double kLongestLabel = 26;  // in units of the font size
constexpr double kSmallest = 14, kLargest = 28, kWidth = 1100;  // cells, and what they share

struct Layout {
  double cell = 0, font = 0;
  double names = 0;              // where what the columns are is written
  double left = 0, top = 0;      // of the first cell
  double width = 0, height = 0;  // of all cells
  double total_width = 0, total_height = 0;
};

Layout lay_out(const study::AttentionMatrix& matrix, const std::string& title) {
  const double larger =
      static_cast<double>(std::max({matrix.target.size(), matrix.source.size(), std::size_t{1}}));
  Layout at;
  at.cell = std::clamp(std::floor(kWidth / larger), kSmallest, kLargest);
  at.font = std::min(13.0, at.cell * kLabelShare);
  const LabelReach label = column_label_reach(label_width(matrix.source) * at.font);
  at.width = at.cell * static_cast<double>(matrix.source.size());
  at.height = at.cell * static_cast<double>(matrix.target.size());
  at.left = kMargin + kAxisNameHeight + std::max(label_width(matrix.target) * at.font + 8, 20.0);
  at.names = kMargin + (title.empty() ? 0 : kTitleHeight);
  at.top = at.names + kAxisNameHeight + label.up + 8;
  const double title_end = kMargin + 1.15 * text_width(title) * kTitleSize;  // bold
  at.total_width = kMargin + std::max({at.left + at.width + label.right,
                                       at.left + kInkLegendWidth + 90, title_end});
  at.total_height = at.top + at.height + kInkLegendHeight + kMargin;
  return at;
}

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

void draw_cells(Svg& svg, const study::AttentionMatrix& matrix, const Layout& at, double largest) {
  const bool large = matrix.weights.size() > kMostDrawnCells;
  if (large) svg.raw(pixels_of(matrix, largest, at.left, at.top, at.width, at.height));
  for (std::size_t row = 0; !large && row < matrix.target.size(); ++row) {
    for (std::size_t column = 0; column < matrix.source.size(); ++column) {
      const double weight = matrix.at(row, column);
      svg.rectangle(at.left + at.cell * static_cast<double>(column),
                    at.top + at.cell * static_cast<double>(row), at.cell - 1, at.cell - 1,
                    ink(weight / largest),
                    fmt::format("{} \u2192 {}: {}", matrix.target[row], matrix.source[column],
                                fixed(weight, 4)));
    }
  }
  svg.rectangle(at.left - 1, at.top - 1, at.width + 1, at.height + 1, "none", "",
                "stroke=\"#999999\" stroke-width=\"1\"");
}

}  // namespace

std::string pixels_of(const study::AttentionMatrix& matrix, double largest, double x, double y,
                      double width, double height) {
  return fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
      short_number(x), short_number(y), short_number(width), short_number(height),
      base64(png_heatmap(matrix, 1, largest)));
}

double largest_weight(std::span<const study::AttentionMatrix> matrices) {
  double largest = 0;
  for (const study::AttentionMatrix& matrix : matrices)
    for (const float weight : matrix.weights) largest = std::max<double>(largest, weight);
  return largest > 0 ? largest : 1;
}

double label_width(const std::vector<std::string>& tokens, std::size_t every) {
  double width = 0;
  for (std::size_t i = 0; i < tokens.size(); i += every)
    width = std::max(width, text_width(tokens[i]));
  return std::min(width, kLongestLabel);
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
    draw_label(svg, foot, y, tokens[column],
               {.size = style.font,
                .attributes = "transform=\"rotate(" + short_number(-kSlant) + ' ' +
                              short_number(foot) + ' ' + short_number(y) + ")\""});
  }
}

void draw_axis_names(Svg& svg, const AxisNames& names, double x, double y, double left,
                     double top) {
  svg.text(left, top, names.columns, {.size = 12, .fill = "#555555"});
  svg.text(x, y, names.rows,
           {.size = 12,
            .anchor = "middle",
            .fill = "#555555",
            .attributes =
                fmt::format("transform=\"rotate(-90 {} {})\"", short_number(x), short_number(y))});
}

LabelReach column_label_reach(double width) {
  const double slant = kSlant * M_PI / 180;
  return {width * std::sin(slant) + 13, width * std::cos(slant) + 13};
}

void draw_ink_legend(Svg& svg, double x, double y, double largest) {
  constexpr int kSteps = 30;
  const double step = kInkLegendWidth / kSteps;
  for (int i = 0; i < kSteps; ++i)
    svg.rectangle(x + step * i, y, step + 0.3, 10, ink((i + 0.5) / kSteps));
  svg.rectangle(x, y, kInkLegendWidth, 10, "none", "", "stroke=\"#999999\" stroke-width=\"0.8\"");
  svg.text(x, y + 25, "0", {.size = 11, .fill = "#555555"});
  svg.text(x + kInkLegendWidth, y + 25, fixed(largest, 2),
           {.size = 11, .anchor = "end", .fill = "#555555"});
  svg.text(x + kInkLegendWidth + 10, y + 9, "weight", {.size = 11, .fill = "#555555"});
}

std::string describe(const study::AttentionMatrix& matrix) {
  const std::string title = study::title_of(matrix.kind);
  if (!is_attention(matrix.kind)) return title;  // other evidence is of the whole model
  return title + ", " + study::layer_and_head(matrix.layer, matrix.head);
}

std::string describe(const std::string& model, const study::AttentionMatrix& matrix) {
  return model + ": " + describe(matrix);
}

AxisNames axis_names(const study::AttentionMatrix& matrix) {
  if (matrix.kind == study::AttentionKind::encoder) return {"source, looking", "source, looked at"};
  if (matrix.kind == study::AttentionKind::decoder)
    return {"target, looking", "target so far, looked at"};
  return {"target", "source"};
}

std::string draw_heatmap(const study::AttentionMatrix& matrix, const std::string& title) {
  check(matrix);
  const Layout at = lay_out(matrix, title);
  const double largest = largest_weight({&matrix, 1});
  Svg svg(at.total_width, at.total_height, title.empty() ? describe(matrix) : title);
  if (!title.empty())
    svg.text(kMargin, kMargin + 14, title,
             {.size = kTitleSize, .attributes = "font-weight=\"600\""});
  const LabelStyle style{.cell = at.cell, .font = at.font};
  draw_row_labels(svg, matrix.target, at.left - 7, at.top, style);
  draw_column_labels(svg, matrix.source, at.left, at.top - 6, style);
  draw_axis_names(svg, axis_names(matrix), kMargin + 8, at.top + at.height / 2, at.left,
                  at.names + 10);
  draw_cells(svg, matrix, at, largest);
  draw_ink_legend(svg, at.left, at.top + at.height + 16, largest);
  return std::move(svg).finish();
}

}  // namespace heed::draw
