// Pictures of attention matrices: darker = more.
#pragma once

#include <cstddef>
#include <span>
#include <string>

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
/// For slides it is about 900 pixels high, and every label has 28 or more: there is one for every
/// second, third, ... token where all would not fit.
std::string draw_heatmap(const study::AttentionMatrix& matrix, const std::string& title = "",
                         Form form = Form::wide);

/// Small multiples of the matrices of one sentence and kind, all on one scale: a row per layer, a
/// column per head, in order of appearance. Tokens are named along the left and the top; where
/// there is no room for all (more than 24 on the longer side), every second, third, ... one is. A
/// matrix alone is drawn larger. Throws Bug where there is no matrix or their sizes differ.
std::string draw_heatmap_grid(std::span<const study::AttentionMatrix> matrices,
                              const std::string& title = "", Form form = Form::wide);

/// "cross-attention, layer 1, mean of heads": which one it is, layers and heads as in the CSV.
std::string describe(const study::AttentionMatrix& matrix);

/// Returns what the rows and the columns of such a matrix are, for example "target" and "source".
struct AxisNames {
  std::string rows, columns;
};
AxisNames axis_names(const study::AttentionMatrix& matrix);

/// The largest weight of all, or 1 where all are 0.
double largest_weight(std::span<const study::AttentionMatrix> matrices);

}  // namespace heed::draw
