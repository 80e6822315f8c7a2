// The normalisers of kernels/normalisers/ for one row of plain numbers.
#pragma once

#include <cstdint>
#include <string>

namespace heed::kernels {

/// Scores [count], finite, become weights; NaN where one is no number.
using RowNormaliser = void (*)(float* scores, int64_t count);

/// Null for a name that only kernels/normalisers/registry.def has.
RowNormaliser row_normaliser(const std::string& name);

}  // namespace heed::kernels
