// The attention of one sentence in all layers as plain JSON: what training leaves of a validation
// for whoever looks on.
#pragma once

#include <span>
#include <string>

#include "study/attention_matrix.h"

namespace heed::study {

/// Of one sentence, one matrix a layer, all over the same tokens:
///   {"line": 7, "source": [token, ...], "target": [token, ...],
///    "layers": [{"layer": 0, "weights": [[0.1234, ...], ...]}, ...]}
/// Rows are target tokens; weights have four decimals, and what is no number is null. There is at
/// least one matrix.
std::string layers_json(std::span<const AttentionMatrix> layers);

}  // namespace heed::study
