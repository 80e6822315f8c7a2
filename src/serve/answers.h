// Translations and attention as the JSON that clients get.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decode/forced.h"
#include "decode/next_words.h"
#include "http/message.h"
#include "serve/model.h"

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
Json matrices_of(const decode::AttendedSentence& sentence);

Json candidates_of(const std::vector<decode::NextWord>& words);

}  // namespace heed::serve
