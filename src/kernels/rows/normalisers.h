// Normalisers (kernels/normalisers/, where the equations are) of one row of plain numbers.
#pragma once

#include <cstdint>
#include <string>

namespace heed::kernels {

/// Scores [count], finite, become weights; NaN where one is no number.
using RowNormaliser = void (*)(float* scores, int64_t count);

void softmax_row(float* scores, int64_t count);
void sparsemax_row(float* scores, int64_t count);
void entmax15_row(float* scores, int64_t count);

/// The function that kernels/normalisers/registry.def has for a name: null for a normaliser that
/// only LibTorch computes, and for a name that is not in it.
RowNormaliser row_normaliser(const std::string& name);

}  // namespace heed::kernels
