// Self-attention inside a window, in blocks, so that it costs length x window and not length^2
// (Beltagy et al. 2020, section 3.1).
#pragma once

#include "model/transformer/scaled_dot_product.h"

namespace heed::model {

/// Whether blocks do less work than one product of all queries with all keys.
bool worth_blocks(int64_t length, const Look& look);

/// As `attend` for a Look with a window. Queries go in blocks of a size near the window; a block
/// sees its own keys and a window's width on either side (before only, where causal), gathered so
/// that all blocks are one batch.
Tensor attend_in_blocks(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const Look& look);

}  // namespace heed::model
