#include "eval/heatmap.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "eval/palette.h"
#include "eval/svg.h"
#include "eval/unicode.h"

namespace heed::eval {
namespace {

constexpr double kMargin = 14, kTitleHeight = 30, kLegendHeight = 48, kLegendWidth = 150;
constexpr double kSlant = 60;  // degrees by which column labels rise
constexpr double kTitleSize = 14;

struct Layout {
  double cell = 0, font = 0;
  double left = 0, top = 0;      // of the first cell
  double width = 0, height = 0;  // of all cells
  double total_width = 0, total_height = 0;
};

double widest(const std::vector<std::string>& tokens) {
  double width = 0;
  for (const std::string& token : tokens) width = std::max(width, text_width(token));
  return width;
}

Layout lay_out(const AttentionMatrix& matrix, const std::string& title) {
  const double larger =
      static_cast<double>(std::max({matrix.target.size(), matrix.source.size(), std::size_t{1}}));
  Layout at;
  at.cell = std::clamp(std::floor(1000 / larger), 11.0, 28.0);
  at.font = std::min(13.0, at.cell * 0.86);
  const double slant = kSlant * M_PI / 180, label = widest(matrix.source) * at.font + at.font;
  at.width = at.cell * static_cast<double>(matrix.source.size());
  at.height = at.cell * static_cast<double>(matrix.target.size());
  at.left = kMargin + std::max(widest(matrix.target) * at.font + 8, 20.0);
  at.top = kMargin + (title.empty() ? 0 : kTitleHeight) + label * std::sin(slant) + 8;
  const double title_end = kMargin + 1.15 * text_width(title) * kTitleSize;  // bold
  at.total_width = kMargin + std::max({at.left + at.width + label * std::cos(slant),
                                       at.left + kLegendWidth + 90, title_end});
  at.total_height = at.top + at.height + kLegendHeight + kMargin;
  return at;
}

void draw_labels(Svg& svg, const AttentionMatrix& matrix, const Layout& at) {
  const double middle = at.cell / 2;
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    const double y = at.top + at.cell * static_cast<double>(row) + middle + at.font * 0.36;
    svg.text(at.left - 7, y, matrix.target[row], {.size = at.font, .anchor = "end"});
  }
  for (std::size_t column = 0; column < matrix.source.size(); ++column) {
    const double x = at.left + at.cell * static_cast<double>(column) + middle + at.font * 0.25;
    const double y = at.top - 6;
    svg.text(x, y, matrix.source[column],
             {.size = at.font,
              .attributes = "transform=\"rotate(" + short_number(-kSlant) + ' ' + short_number(x) +
                            ' ' + short_number(y) + ")\""});
  }
}

void draw_cells(Svg& svg, const AttentionMatrix& matrix, const Layout& at, double largest) {
  const double gap = at.cell >= 16 ? 1 : 0.5;
  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    for (std::size_t column = 0; column < matrix.source.size(); ++column) {
      const double weight = matrix.at(row, column);
      svg.rectangle(
          at.left + at.cell * static_cast<double>(column),
          at.top + at.cell * static_cast<double>(row), at.cell - gap, at.cell - gap,
          ink(weight / largest),
          matrix.target[row] + " \u2192 " + matrix.source[column] + ": " + fixed(weight, 4));
    }
  }
  svg.rectangle(at.left - 0.5, at.top - 0.5, at.width, at.height, "none", "",
                "stroke=\"#999999\" stroke-width=\"1\"");
}

void draw_legend(Svg& svg, const Layout& at, double largest) {
  constexpr int kSteps = 30;
  const double y = at.top + at.height + 16, step = kLegendWidth / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    svg.rectangle(at.left + step * i, y, step + 0.3, 10, ink((i + 0.5) / kSteps));
  }
  svg.rectangle(at.left, y, kLegendWidth, 10, "none", "",
                "stroke=\"#999999\" stroke-width=\"0.8\"");
  svg.text(at.left, y + 25, "0", {.size = 11, .fill = "#555555"});
  svg.text(at.left + kLegendWidth, y + 25, fixed(largest, 2),
           {.size = 11, .anchor = "end", .fill = "#555555"});
  svg.text(at.left + kLegendWidth + 10, y + 9, "weight", {.size = 11, .fill = "#555555"});
}

}  // namespace

std::string describe(const AttentionMatrix& matrix) {
  return (matrix.kind == "cross" ? "cross-attention" : matrix.kind + " self-attention") +
         ", layer " + std::to_string(matrix.layer) +
         (matrix.head < 0 ? ", mean of heads" : ", head " + std::to_string(matrix.head));
}

std::string draw_heatmap(const AttentionMatrix& matrix, const std::string& title) {
  check(matrix);
  const Layout at = lay_out(matrix, title);
  double largest = 0;
  for (const float weight : matrix.weights) largest = std::max<double>(largest, weight);
  if (largest <= 0) largest = 1;
  Svg svg(at.total_width, at.total_height, title.empty() ? describe(matrix) : title);
  if (!title.empty()) {
    svg.text(kMargin, kMargin + 14, title,
             {.size = kTitleSize, .attributes = "font-weight=\"600\""});
  }
  draw_labels(svg, matrix, at);
  draw_cells(svg, matrix, at, largest);
  draw_legend(svg, at, largest);
  return std::move(svg).finish();
}

}  // namespace heed::eval
