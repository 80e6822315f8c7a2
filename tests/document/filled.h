// Documents with translations in them, for tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/inlays.h"
#include "document/word_weights.h"
#include "text/words.h"

namespace heed::document {

/// From English into this language.
inline Document read_into(const std::string& language, const std::string& bytes,
                          const std::string& format) {
  return {bytes,
          *format_named(format),
          {.read = {.source_language = "en", .target_language = language}}};
}

/// The texts that reach a model.
inline std::vector<std::string> model_texts(const Document& document) {
  std::vector<std::string> texts;
  for (const Segment& segment : document.text().segments()) texts.push_back(segment.text);
  return texts;
}

/// The document with these translations, by diagonal attention; without any: with its own texts.
inline std::string filled(const Document& document, std::vector<std::string> translations = {}) {
  const std::vector<Segment>& segments = document.text().segments();
  if (translations.empty()) translations = model_texts(document);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    out.push_back(translated_in_order(segments[i], translations.at(i)));
  }
  return document.text().with(out);
}

}  // namespace heed::document
