// Between what the room decode measures and what study and draw read.
#pragma once

#include <string>
#include <vector>

#include "decode/explain.h"
#include "decode/forced.h"
#include "study/attention_matrix.h"

namespace heed {

/// Every layer and head of these kinds.
decode::AttentionRequest every_head_of(const std::vector<std::string>& kinds);

/// `sentence` is the line of the input, from 1.
std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence);

/// `kind` is the name of the evidence; the numbers are signed.
study::AttentionMatrix to_matrix(const decode::Explanation& explained, const std::string& kind,
                                 int64_t sentence);

}  // namespace heed
