// Tables as tests read and write them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "document/document.h"
#include "document/format.h"
#include "document/inlays.h"
#include "document/word_weights.h"
#include "text/kept.h"
#include "text/words.h"

namespace heed::document {

inline Document table(const std::string& bytes, const std::string& format,
                      const std::vector<std::string>& columns, const text::KeepOptions& kept = {}) {
  return {bytes,
          *format_named(format),
          {.read = {.source_language = "en", .columns = columns}, .kept = kept}};
}

/// What the model sees of a table.
inline std::vector<std::string> cells_in(const std::string& bytes, const std::string& format,
                                         const std::vector<std::string>& columns,
                                         const text::KeepOptions& kept = {}) {
  const Document read = table(bytes, format, columns, kept);
  std::vector<std::string> texts;
  for (const Segment& segment : read.text().segments()) texts.push_back(segment.text);
  return texts;
}

/// The table with this in place of each text.
inline std::string with_cells(const std::string& bytes, const std::string& format,
                              const std::vector<std::string>& columns,
                              const std::string& translation, const text::KeepOptions& kept = {}) {
  const Document read = table(bytes, format, columns, kept);
  std::vector<std::string> texts;
  for (const Segment& segment : read.text().segments())
    texts.push_back(translated_in_order(segment, translation));
  return read.text().with(texts);
}

/// The table with each text as it was.
inline std::string with_same_cells(const std::string& bytes, const std::string& format,
                                   const std::vector<std::string>& columns) {
  const Document read = table(bytes, format, columns);
  std::vector<std::string> texts;
  for (const Segment& segment : read.text().segments())
    texts.push_back(with_inlays(segment, segment.text, {}));
  return read.text().with(texts);
}

/// The message of the mistake in reading it, or "".
inline std::string mistake_in(const std::string& bytes, const std::string& format,
                              const std::vector<std::string>& columns) try {
  table(bytes, format, columns);
  return "";
} catch (const UserError& error) {
  return error.what();
}

}  // namespace heed::document
