// The picture of one attention matrix: darker = more.
#pragma once

#include <string>

#include "eval/attention_matrix.h"

namespace heed::eval {

/// An SVG: target tokens as rows, source tokens as columns, each cell's weight as a tooltip. White
/// is 0 and the darkest ink the matrix's largest weight, which the bar below names. Cells shrink as
/// the matrix grows.
std::string draw_heatmap(const AttentionMatrix& matrix, const std::string& title = "");

/// "cross-attention, layer 1, head mean": which one it is, layers and heads as in the CSV.
std::string describe(const AttentionMatrix& matrix);

}  // namespace heed::eval
