// Documents with translations in them, for tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/inlays.h"
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
    const auto count = [](const std::string& text) {
      return static_cast<std::size_t>(text::count_words(text));
    };
    out.push_back(with_inlays(segments[i], translations.at(i),
                              diagonal_weights(count(translations[i]), count(segments[i].text))));
  }
  return document.text().with(out);
}

}  // namespace heed::document
