// Translations and attention as the JSON that clients get.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "http/message.h"
#include "inspect/attention_maps.h"
#include "inspect/next_words.h"

namespace heed::serve {

using Json = nlohmann::ordered_json;

http::Response json_response(const Json& body);

/// A word of a translation, and what it stands behind.
///   {"word", "prefix", "probability", "forced"}
/// The prefix makes Translator::translate() go on at this place; `forced`: the first pieces, which
/// were given.
Json words_of(const text::Vocabulary& vocabulary, const decode::Translation& translation,
              std::size_t forced);

/// {"tokens": {"source": [...], "target": [...], "read": [...]},
///  "matrices": [{"kind", "layer", "head", "rows", "columns", "weights": [[...], ...]}, ...]}
/// Rows and columns are named after the tokens; weights have four decimals.
Json matrices_of(const inspect::AttendedSentence& sentence);

Json candidates_of(const std::vector<inspect::NextWord>& words);

}  // namespace heed::serve
