// Teacher-forced attention: the weights of any layer and head while a model reads a given
// translation, or its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "model/pointer.h"

namespace heed::decode {

/// Rows are what looks, columns what is looked at; each row sums to 1 over its columns.
///   cross:   target pieces with </s> (row t: the step that emits piece t) by source pieces with
///   </s> decoder: the same rows by the target read so far, <s> first; zero right of the diagonal
///   encoder: source pieces with </s> by the same
struct AttentionMatrix {
  model::AttentionKind kind = model::AttentionKind::kCross;
  int64_t layer = 0;  // 0-based
  int64_t head = 0;   // 0-based; -1 is the mean over heads
  int64_t rows = 0, columns = 0;
  std::vector<float> weights;  // [rows, columns], row-major
  std::vector<std::string> row_labels, column_labels;
};

struct AttendedSentence {
  std::string target_text;
  // With </s>. What the vocabulary does not know is spelled as in the given lines; in the model's
  // own translation it is <unk>.
  std::vector<std::string> source_pieces, target_pieces;
  std::vector<AttentionMatrix> matrices;  // by kind, layer, head
  bool cut = false;                       // own translation that reached the length limit
};

/// What may stand in a request instead of a number counted from 0.
inline constexpr int64_t kLastLayer = -1, kMeanOfHeads = -1, kEvery = -2;

/// Each layer and head comes once, in the order of its first mention.
struct AttentionRequest {
  bool encoder = false, decoder = false, cross = true;
  std::vector<int64_t> layers;  // empty: every one
  std::vector<int64_t> heads;   // empty: every one; the mean over heads only where it is asked for
};

/// Every layer and head of these kinds: encoder, decoder, cross.
AttentionRequest every_head_of(const std::vector<std::string>& kinds);

/// One per line of `sources`, in order, by the translator's first model. Without `targets` the
/// model reads its own best translation. A blank line with no target given has no matrices. Throws
/// UserError when line counts differ, a line is too long (named by its number, `first_line` +
/// index), the model does not attend, or it has no such kind, layer or head.
std::vector<AttendedSentence> attention_maps(Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::optional<std::vector<std::string>>& targets,
                                             const AttentionRequest& request,
                                             int64_t first_line = 1);

/// The same for translations that a search found, given as pieces; a line may be there several
/// times. What is longer than the model can take is cut, as search does it. `target_text` stays
/// empty.
std::vector<AttendedSentence> attention_maps(Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::vector<std::vector<int32_t>>& targets,
                                             const AttentionRequest& request);

}  // namespace heed::decode
