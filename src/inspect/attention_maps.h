// Teacher-forced attention: the weights of any layer and head while a model reads a given
// translation, or its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "inspect/details.h"
#include "model/description/config.h"
#include "study/attention_matrix.h"

namespace heed::inspect {

using config::AttentionKind;
using study::AttendedSentence;

/// What may stand in a request instead of a number counted from 0.
inline constexpr int64_t kLastLayer = -1, kMeanOfHeads = -1, kEvery = -2;

/// Each layer and head comes once, in the order of its first mention.
struct AttentionRequest {
  std::vector<AttentionKind> kinds = {AttentionKind::cross};
  std::vector<int64_t> layers = {};  // empty: every one
  std::vector<int64_t> heads = {};   // empty: every one; the mean only where it is asked for
};

/// One per line of `sources`, in order, by the translator's first model. Without `targets` the
/// model reads its own best translation. A blank line with no target given has no matrices.
/// `first_line` is the number of the first line. Throws UserError when line counts differ, a line
/// is too long (named by its number), the model does not attend, or it has no such kind, layer or
/// head.
std::vector<AttendedSentence> attention_maps(decode::Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::optional<std::vector<std::string>>& targets,
                                             const AttentionRequest& request,
                                             int64_t first_line = 1);

/// Of a layer and head, with the model that a translator has first; `translator` must live on.
ReadAttention attention_reader(decode::Translator& translator,
                               const study::AlignmentChoice& choice);

/// Sets AttentionMatrix::softmax of a model's matrices, for the page. A mean over several heads is
/// none.
void mark_softmax(std::vector<study::AttentionMatrix>& matrices, const model::ModelConfig& config);

}  // namespace heed::inspect
