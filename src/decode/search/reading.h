// Forced decoding: pairs of lines that a model reads, with given translations or its own, and the
// attention weights of any layer and head meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "data/example.h"
#include "decode/search/line_translator.h"
#include "study/attention_matrix.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::decode {

using config::AttentionKind;
using study::AttendedSentence;

struct Reading {
  data::Example example;
  bool readable = false;      // there is something to read
  AttendedSentence sentence;  // without matrices
};

/// Returns one reading per line of `sources`, for the translator's first model. Without `targets`
/// the model reads its own best translation. Throws UserError when line counts differ or a line is
/// too long (named by its number, `first_line` + index).
std::vector<Reading> readings_of(const LineTranslator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 int64_t first_line);

/// Returns the reading of a line and its translation, given as pieces. Both are cut as a search
/// cuts them.
Reading reading_of(const LineTranslator& translator, const std::string& source,
                   std::vector<int32_t> target);

/// Returns the pieces of a line as the line spells them, as many as `ids` has, and </s>.
std::vector<std::string> names_of(const text::Vocabulary& vocabulary, const std::string& line,
                                  const std::vector<int32_t>& ids);

/// Returns the characters of each source piece of a matrix, without `</s>`; a symbol has none.
std::vector<std::string> source_surfaces(const study::AttentionMatrix& pieces);

/// Values of an AttentionRequest in place of a number of a layer or head, which counts from 0.
inline constexpr int64_t kLastLayer = -1, kMeanOfHeads = -1, kEvery = -2;

/// The attention that is asked for. Each layer and head is returned once, in the order of its first
/// mention.
struct AttentionRequest {
  std::vector<AttentionKind> kinds = {AttentionKind::cross};
  std::vector<int64_t> layers = {};  // empty: every one
  std::vector<int64_t> heads = {};   // empty: every one, without their mean
};

/// Returns the attention of each line of `sources`, in order, by the translator's first model.
/// Without `targets` the model reads its own best translation. A blank line with no target given
/// has no matrices. `first_line` is the number of the first line. Throws UserError when line counts
/// differ, a line is too long (named by its number), the model does not attend, or it has no such
/// kind, layer or head.
std::vector<AttendedSentence> attention_maps(const LineTranslator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::optional<std::vector<std::string>>& targets,
                                             const AttentionRequest& request,
                                             int64_t first_line = 1);

/// Returns the same for translations that a search found, given as pieces; a line may be there
/// several times. Lines and translations that are longer than the model can take are cut as a
/// search cuts them. `target_text` stays empty.
std::vector<AttendedSentence> attention_maps(const LineTranslator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::vector<std::vector<int32_t>>& targets,
                                             const AttentionRequest& request);

}  // namespace heed::decode
