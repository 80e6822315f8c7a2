// The formats of documents. A format is one function, which finds the text in a document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/passage.h"

namespace heed::document {

/// What of a document is read, and how.
struct ReadOptions {
  /// Languages, as "de" or "pt_BR": formats with several languages take the passages of these.
  std::string source_language, target_language;
  /// What else is translated, by name: "alt", "title", "placeholder" of HTML.
  std::vector<std::string> also;
};

struct DocumentFormat {
  std::string_view name;
  std::string_view endings;  // of the names of its files, with blanks between them
  std::string_view text;     // what is translated
  /// The passages of a document of this format. Throws UserError, which names the line, where the
  /// document is not of this format.
  Passages (*read)(std::string_view bytes, const ReadOptions& options);
};

/// The rows of formats.def.
const std::vector<DocumentFormat>& document_formats();

/// The format with this name; none: there is no such format.
const DocumentFormat* format_named(std::string_view name);

/// Each format's function.
#define HEED_DOCUMENT_FORMAT(name, endings, text) \
  Passages read_##name(std::string_view bytes, const ReadOptions& options);
#include "document/formats.def"

}  // namespace heed::document
