// Translations and attention as the JSON that clients get, whatever computes them. Torch-free.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "decode/search/line_translator.h"
#include "decode/search/next_words.h"
#include "study/attention_matrix.h"

namespace heed::serve {

using Json = nlohmann::ordered_json;

/// A model as its attention is shown.
struct ShownModel {
  std::string name;
  std::vector<config::AttentionKind> kinds;          // of attention, to show; empty: none
  std::vector<config::AttentionKind> softmax_kinds;  // whose heads' weights are a softmax of scores
  int64_t layer = 0, head = 0;  // where its alignment is best seen; head -1: mean of all
};

/// JSON as text, whatever bytes are in it.
std::string text_of(const Json& body);

/// A word of a translation, and what it stands behind.
///   {"word", "prefix", "probability", "forced"}
/// The prefix makes Translator::translate() go on at this place; `forced`: the first pieces, which
/// were given.
Json words_of(const text::Vocabulary& vocabulary, const decode::Translation& translation,
              std::size_t forced);

/// {"tokens": {"source": [...], "target": [...], "read": [...]},
///  "matrices": [{"kind", "layer", "head", "rows", "columns", "weights": [[...], ...]}, ...]}
/// Rows and columns are named after the tokens; weights have four decimals.
Json matrices_of(const study::AttendedSentence& sentence);

/// Adds matrices_of() what `attend` gives to `body`, and "usual", {"layer", "head"}, and "softmax",
/// the kinds whose heads are a softmax; of a sentence and a translation of so many pieces.
/// "noAttention" says why there is none.
void add_attention(const ShownModel& model, std::size_t source, std::size_t target,
                   const std::function<study::AttendedSentence()>& attend, Json& body);

Json candidates_of(const std::vector<decode::NextWord>& words);

}  // namespace heed::serve
