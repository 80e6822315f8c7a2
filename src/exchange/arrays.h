// Weights rearranged: one program keeps in one matrix what another keeps in several, or has the
// numbers of a state in another order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/weights.h"

namespace heed::exchange {

/// An array that owns `numbers`.
engine::Array array_from(engine::Floats numbers, std::vector<int64_t> shape);

/// Row i (of a vector: number i) of the result is row order[i]; -1: zeros.
engine::Array with_rows(const engine::Array& from, std::span<const int64_t> order);
/// Column i of the result is column order[i] of `from` [rows, columns].
engine::Array with_columns(const engine::Array& from, std::span<const int64_t> order);
/// The transpose of `from` [rows, columns]: [columns, rows].
engine::Array transposed(const engine::Array& from);
/// The rows of all parts, one below the other (of vectors: the numbers, one after the other).
engine::Array joined(const std::vector<engine::Array>& parts);
/// The rows [first, first + count), which are not copied.
engine::Array rows_of(const engine::Array& from, int64_t first, int64_t count);

// The order of the numbers of a state. heed's sinusoids are pairs, sin and cos of one frequency
// after the other (Vaswani et al. 2017, 3.5). Marian has all sines in the first half of the width
// and all cosines in the second. A model whose width is reordered everywhere computes the same.

/// pairs[i] = halves[order[i]].
std::vector<int64_t> pairs_from_halves(int64_t width);
/// halves[i] = pairs[order[i]].
std::vector<int64_t> halves_from_pairs(int64_t width);

}  // namespace heed::exchange
