// Between what the room decode measures and what study and draw read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "decode/explain.h"
#include "decode/forced.h"
#include "study/attention_matrix.h"

namespace heed {

/// `sentence` is the line of the input, from 1.
std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence);

/// saliency, integrated (gradients) and erasure.
const std::map<std::string, decode::Evidence>& evidence_by_name();

/// `kind` is the name of the evidence; the numbers are signed.
study::AttentionMatrix to_matrix(const decode::Explanation& explained, const std::string& kind,
                                 int64_t sentence);

}  // namespace heed
