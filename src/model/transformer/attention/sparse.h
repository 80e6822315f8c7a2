// Self-attention of a window, of some places that everybody sees and that see everybody (Beltagy et
// al. 2020, section 3.1), and of every s-th place (Child et al. 2019, section 4.3, "strided").
#pragma once

#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::model {

/// As attend() for an AttentionMask with a window and `global` or `stride`. No matrix of queries x
/// keys is made: time and memory are O(n (window + global + n / stride)).
Tensor sparse_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking);

}  // namespace heed::model
