// Attention weights as CSV (quoted as RFC 4180 says, lines end in LF), and those of all layers as
// JSON.
#pragma once

#include <span>
#include <string>

#include "study/attention_matrix.h"

namespace heed::study {

/// The header of the long form, with its line break.
std::string attention_csv_header();

/// One row per weight:
/// sentence,layer,head,target_position,target_token,source_position,source_token,weight. Positions
/// and layers count from 0; head is a number or `mean`; weights read back to the same float. Where
/// rows do not add up to what they should, each ends with one of source token `(missing)`, without
/// a position.
std::string attention_csv_rows(const AttentionMatrix& matrix);

/// Target x source: the source tokens in the first line, then a line per target token. The corner
/// says which matrix it is.
std::string attention_csv_matrix(const AttentionMatrix& matrix);

/// Of one sentence, one matrix a layer, all over the same tokens:
///   {"line": 7, "source": [token, ...], "target": [token, ...],
///    "layers": [{"layer": 0, "weights": [[0.1234, ...], ...]}, ...]}
/// Rows are target tokens; weights have four decimals, and what is no number is null. There is at
/// least one matrix.
std::string layers_json(std::span<const AttentionMatrix> layers);

}  // namespace heed::study
