// The formats of documents. A format is one function, which finds the text in a document.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/passage.h"

namespace heed::document {

/// What of a document is read, and how.
struct ReadOptions {
  /// Languages, as "de" or "pt_BR": formats with several languages take the passages of these.
  std::string source_language, target_language;
  /// The columns of a table that are translated, by name, or by number from 1. Other formats have
  /// none.
  std::vector<std::string> columns = {};
  const char* column_option = "--column";  // what messages call them
  /// Names of parts that are translated only if asked for: keys of front matter, and attributes and
  /// elements of HTML.
  std::vector<std::string> also = {};
  /// Is told what of the document cannot be followed; it begins with the line. None: nobody is.
  std::function<void(const std::string& warning)> warn = {};
};

struct DocumentFormat {
  std::string_view name;
  std::string_view endings;  // of the names of its files, with blanks between them
  std::string_view text;     // what is translated
  /// The passages of a document of this format. Throws UserError, which begins with the line, where
  /// the document is not of this format, or has not what `options` ask for.
  Passages (*read)(std::string_view bytes, const ReadOptions& options);
  bool is_table = false;  // it has ReadOptions::columns
  bool is_lines = false;  // its files are often read line by line
  bool is_catalogue =
      false;  // it has texts and their translations, of which missing ones are filled
};

/// The rows of formats.def.
const std::vector<DocumentFormat>& document_formats();

/// The format with this name, or whose files have names with this ending; none: there is no such
/// format.
const DocumentFormat* format_named(std::string_view name);

/// The format whose files have such a name, with .gz and .zst taken off; none: no format has.
const DocumentFormat* format_of_name(std::string_view path);
/// What a file is whose name has the ending of a format that is not read, such as "a document of
/// reStructuredText"; empty where the name says nothing.
std::string_view unread_format_of_name(std::string_view path);

/// The format that a text has by its first lines, where it is not plain text: `WEBVTT`,
/// `<!DOCTYPE html>`, an object of JSON and the like. None: it may well be plain text.
const DocumentFormat* format_of_text(std::span<const std::string> first_lines);

/// Each format's function.
#define HEED_DOCUMENT_FORMAT(name, endings, text) \
  Passages read_##name(std::string_view bytes, const ReadOptions& options);
#include "document/formats.def"

}  // namespace heed::document
