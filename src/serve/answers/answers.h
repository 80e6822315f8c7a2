// Translations and attention as the JSON that clients get, with LibTorch or an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "model/description/config.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::serve {

using Json = nlohmann::ordered_json;

/// A model, and what of its attention is shown.
struct ShownModel {
  std::string name;
  std::vector<config::AttentionKind> kinds;          // kinds of attention to show; empty: none
  std::vector<config::AttentionKind> softmax_kinds;  // kinds whose weights are a softmax of scores
  int64_t layer = 0, head = 0;             // that show its alignment best; head -1: mean of all
  std::vector<std::string> examples = {};  // sentences with which its page begins
};

/// JSON as text, also where strings in it are not UTF-8.
std::string text_of(const Json& body);

/// The words of a translation, each with the text before it:
///   {"word", "prefix", "probability", "forced"}
/// With the prefix LineTranslator::translate() goes on at this word. `forced`: how many of the
/// first pieces were given.
Json words_of(const text::Vocabulary& vocabulary, const decode::Translation& translation,
              std::size_t forced);

/// Throws UserError where a prefix is longer than a source may be. Every hypothesis of a search
/// contains the prefix, so that a long one would take all memory, or delay all other requests.
void require_short_prefix(const decode::LineTranslator& translator, const std::string& prefix);

/// Adds the losses to an answer: the `numbers` of lines that were cut, "cutLines", of those whose
/// translation was cut, "cutTranslations", and of those whose translation lacks a term,
/// "missingTerms".
void tell_losses(const decode::LineTranslator& translator, const decode::LinesRequest& request,
                 const std::vector<std::size_t>& numbers,
                 const std::vector<decode::Translation>& found, Json& body);

struct AttentionQuestion {
  std::string line, prefix;
  std::optional<std::string> translation = {};  // read instead of the model's own
  std::vector<config::AttentionKind> kinds;
};

struct AttentionAnswer {
  Json body;
  std::optional<double> search_seconds = {};  // time of the search for the model's own translation
};

/// The answer to POST /attention (docs/serving.md). Rows and columns of its matrices are named
/// after the tokens; weights have four decimals.
AttentionAnswer attention_of(const ShownModel& model, const decode::LineTranslator& translator,
                             const AttentionQuestion& question);

/// The answer to POST /steps (docs/serving.md): how the attention of each step came about while the
/// model read its own translation. `config` is the model's.
Json steps_of(const ShownModel& model, const model::ModelConfig& config,
              const decode::LineTranslator& translator, const std::string& line,
              const std::string& prefix);

/// The answer to POST /candidates (docs/serving.md).
Json candidates_of(const decode::LineTranslator& translator, const std::string& line,
                   const std::string& prefix, int64_t count);

}  // namespace heed::serve
