// Small multiples: layers by heads.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "draw/heatmap.h"
#include "draw/palette.h"
#include "draw/text_width.h"

namespace heed::draw {
namespace {

constexpr double kMargin = 14, kTitleHeight = 30, kTitleSize = 14, kNameSize = 12;
constexpr double kPanel = 264, kAlone = 372;  // what a panel's longer side shares out to its cells
constexpr double kSmallest = 2, kLargest = 14;  // cells
constexpr double kLeastFont = 8, kMostFont = 10.6;
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

double place_of(const std::vector<int64_t>& numbers, int64_t number) {
  return static_cast<double>(std::find(numbers.begin(), numbers.end(), number) - numbers.begin());
}

/// Above a picture alone, the model's name has a line of its own.
std::vector<std::string> title_lines(const std::string& title, bool alone) {
  const std::size_t colon = alone ? title.rfind(": ") : std::string::npos;
  if (colon == std::string::npos) return {title};
  return {title.substr(0, colon), title.substr(colon + 2)};
}

struct Grid {
  std::vector<int64_t> layers, heads;
  double cell = 0;
  LabelStyle labels;
  bool alone = false;
  std::vector<std::string> title;
  double names = 0;              // where what the columns are is written
  double width = 0, height = 0;  // of one panel
  double left = 0, top = 0;      // of the first
  double legend = 0;             // its top
  double total_width = 0, total_height = 0;

  double x(const study::AttentionMatrix& panel) const {
    return left + place_of(heads, panel.head) * (width + kGap);
  }
  double y(const study::AttentionMatrix& panel) const {
    return top + place_of(layers, panel.layer) * (height + kGap);
  }
};

Grid lay_out(std::span<const study::AttentionMatrix> matrices, const std::string& title) {
  const study::AttentionMatrix& first = matrices[0];
  const auto rows = static_cast<double>(first.target.size());
  const auto columns = static_cast<double>(first.source.size());
  Grid at{.layers = in_order(matrices, &study::AttentionMatrix::layer),
          .heads = in_order(matrices, &study::AttentionMatrix::head)};
  at.alone = matrices.size() == 1;
  at.cell = std::clamp(std::floor((at.alone ? kAlone : kPanel) / std::max({rows, columns, 1.0})),
                       kSmallest, kLargest);
  const double every = std::ceil(kLeastFont / (at.cell * kLabelShare));
  at.labels = {.cell = at.cell,
               .font = std::min(kMostFont, every * at.cell * kLabelShare),
               .every = static_cast<std::size_t>(every)};
  at.width = at.cell * columns;
  at.height = at.cell * rows;
  const auto room = [&](const std::vector<std::string>& tokens) {
    return label_width(tokens, at.labels.every) * at.labels.font;
  };
  const LabelReach label = column_label_reach(room(first.source));
  const double layers = at.alone ? 0 : text_width("layer 00") * kNameSize + 8;
  at.left = kMargin + kAxisNameHeight + layers + room(first.target) + 8;
  at.title = title_lines(title, at.alone);
  at.names = kMargin + kTitleHeight + (at.alone ? (at.title.size() > 1 ? 16 : 0) : kNameSize + 6);
  at.top = at.names + kAxisNameHeight + label.up;
  const double bottom = at.top + static_cast<double>(at.layers.size()) * (at.height + kGap) - kGap;
  at.legend = bottom + 16;
  at.total_height = at.legend + kInkLegendHeight;
  const double right =
      at.left + static_cast<double>(at.heads.size()) * (at.width + kGap) - kGap + label.right;
  at.total_width = kMargin + std::max(right, at.left + kInkLegendWidth + 90);
  for (const std::string& line : at.title)
    at.total_width = std::max(at.total_width, 2 * kMargin + 1.15 * text_width(line) * kTitleSize);
  return at;
}

/// The outline of one run of cells, in cells.
std::string run(std::size_t column, std::size_t row, std::size_t length) {
  const std::string along = std::to_string(length);
  return fmt::format("M{} {}h{}v1h-{}z", column, row, along, along);
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
      paths[level(row, from)] += run(from, row, to - from);
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

void draw_panel(Svg& svg, const study::AttentionMatrix& panel, const Grid& at, double largest) {
  const double x = at.x(panel), y = at.y(panel);
  svg.raw("<g><title>" + xml_escape(summary(panel)) + "</title>");
  svg.rectangle(x - 0.5, y - 0.5, at.width + 1, at.height + 1, "#ffffff", "",
                "stroke=\"#999999\" stroke-width=\"1\"");
  svg.raw(fmt::format(
      "<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({})\">{}</g></g>",
      short_number(x), short_number(y), short_number(at.cell), cells(panel, largest)));
}

void draw_names(Svg& svg, const study::AttentionMatrix& first, const Grid& at) {
  const std::string bold = "font-weight=\"600\"";
  draw_axis_names(svg, axis_names(first), kMargin + 8, (at.top + at.legend - 16) / 2, at.left,
                  at.names + 10);
  for (std::size_t i = 0; i < at.heads.size(); ++i) {
    const double x = at.left + static_cast<double>(i) * (at.width + kGap);
    if (!at.alone)
      svg.text(x, kMargin + kTitleHeight + kNameSize,
               at.heads[i] < 0 ? "mean" : "head " + study::head_name(at.heads[i]),
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

}  // namespace

std::string draw_heatmap_grid(std::span<const study::AttentionMatrix> matrices,
                              const std::string& title) {
  expect(!matrices.empty(), "a grid has pictures");
  for (const study::AttentionMatrix& matrix : matrices) {
    check(matrix);
    expect(matrix.target.size() == matrices[0].target.size() &&
               matrix.source.size() == matrices[0].source.size(),
           "the pictures of a grid are of one sentence");
  }
  const double largest = largest_weight(matrices);
  const std::string name =
      title.empty() ? study::title_of(matrices[0].kind) + ", layers by heads" : title;
  const Grid at = lay_out(matrices, name);
  Svg svg(at.total_width, at.total_height, name);
  svg.text(kMargin, kMargin + 14, at.title[0],
           {.size = kTitleSize, .attributes = "font-weight=\"600\""});
  if (at.title.size() > 1) svg.text(kMargin, kMargin + 32, at.title[1], {.size = kNameSize});
  draw_names(svg, matrices[0], at);
  for (const study::AttentionMatrix& matrix : matrices) draw_panel(svg, matrix, at, largest);
  draw_ink_legend(svg, at.left, at.legend, largest);
  return std::move(svg).finish();
}

}  // namespace heed::draw
