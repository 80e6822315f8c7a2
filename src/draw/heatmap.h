// Pictures of attention matrices: darker = more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "draw/svg.h"
#include "study/attention_matrix.h"

namespace heed::draw {

/// Weights of which a picture draws each. It holds more of them as one picture of pixels: an
/// element for each of a million weights is more than a browser can show.
inline constexpr std::size_t kMostDrawnCells = 16384;

/// An SVG: target tokens as rows, source tokens as columns, each cell's weight as a tooltip, unless
/// there are more than kMostDrawnCells; both axes have their names. White is 0 and the darkest ink
/// the matrix's largest weight, which the bar below names. Cells shrink as the matrix grows, but no
/// further than labels can be read.
std::string draw_heatmap(const study::AttentionMatrix& matrix, const std::string& title = "");

/// Small multiples of the matrices of one sentence and kind, all on one scale: a row per layer, a
/// column per head, in order of appearance. Tokens are named along the left and the top; where
/// there is no room for all (more than 24 on the longer side), every second, third, ... one is. A
/// matrix alone is drawn larger. Throws Bug where there is no matrix or their sizes differ.
std::string draw_heatmap_grid(std::span<const study::AttentionMatrix> matrices,
                              const std::string& title = "");

/// "cross-attention, layer 1, mean of heads": which one it is, layers and heads as in the CSV.
std::string describe(const study::AttentionMatrix& matrix);
/// The same behind the model's name.
std::string describe(const std::string& model, const study::AttentionMatrix& matrix);

/// What the rows and the columns of such a matrix are: "target" and "source".
struct AxisNames {
  std::string rows, columns;
};
AxisNames axis_names(const study::AttentionMatrix& matrix);

// --- what both pictures are made of

/// An element that fills this rectangle with a pixel for each weight.
std::string pixels_of(const study::AttentionMatrix& matrix, double largest, double x, double y,
                      double width, double height);

/// The largest weight of all, or 1 where all are 0.
double largest_weight(std::span<const study::AttentionMatrix> matrices);

/// Font size in cells at most: below sin 60 degrees, or slanted labels would touch.
inline constexpr double kLabelShare = 0.76;

/// The room that the labels of each `every`-th token take, in units of the font size.
double label_width(const std::vector<std::string>& tokens, std::size_t every = 1);

/// A label for each `every`-th cell of size `cell`, from the first one on: the rows' end at `x`,
/// the first cell's top at `y`; the columns' stand on `y` and rise by 60 degrees, the first cell's
/// left at `x`. Very long tokens are cut short and whole in the tooltip; each runs in its own
/// direction.
struct LabelStyle {
  double cell = 0, font = 0;
  std::size_t every = 1;
};
void draw_row_labels(Svg& svg, const std::vector<std::string>& tokens, double x, double y,
                     const LabelStyle& style);
void draw_column_labels(Svg& svg, const std::vector<std::string>& tokens, double x, double y,
                        const LabelStyle& style);

/// What an axis name takes beside the labels.
inline constexpr double kAxisNameHeight = 18;
/// The names of both axes: the rows' upright with its middle at (x, y), the columns' from (left,
/// top) on.
void draw_axis_names(Svg& svg, const AxisNames& names, double x, double y, double left, double top);

/// How far column labels of that width reach above their cells and beyond the last.
struct LabelReach {
  double up = 0, right = 0;
};
LabelReach column_label_reach(double width);

inline constexpr double kInkLegendWidth = 150, kInkLegendHeight = 48;
/// The bar from 0 to `largest` with its upper left corner at (x, y).
void draw_ink_legend(Svg& svg, double x, double y, double largest);

}  // namespace heed::draw
