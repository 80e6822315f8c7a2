// What stands in a line of Markdown and is no text in dialects of it: formulas, keys, roles, ...
#pragma once

#include <cstddef>
#include <string_view>

#include "document/token.h"

namespace heed::document {

inline constexpr std::size_t kLongestInsert = 1000;  // bytes in which its end is looked for

/// What names of classes, containers and templates consist of.
inline constexpr std::string_view kOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_{}";
inline constexpr std::string_view kFirstOfNames = kOfNames.substr(0, 52),
                                  kOfWords = kOfNames.substr(0, 62),
                                  kOfPlainNames = kOfNames.substr(0, 64);  // with - and _

/// Bytes of attributes, `{#name .class}`, `{: .class}` or, after a link, `{target=x}`, or 0.
std::size_t bytes_of_attributes(std::string_view line, std::size_t at);

/// Something in a line that CommonMark does not know, or text.
struct Insert {
  enum class InsertKind {
    text,    // a character, an escape, code
    item,    // it stays
    marks,   // two signs on both sides of a text, such as `==`
    target,  // attributes of the span before them
    tag,     // a tag with values in braces, which a parser of HTML reads
  };

  InsertKind kind = InsertKind::text;
  ByteRange bytes = {};  // of the line; an item may go on in the next lines, and may begin earlier
  char letter = Token::kWord;  // for it in CommonMarkdown::text
  bool has_text = false;       // its line is no line of nothing but structure
  bool is_structure = false;   // a statement of a template, attributes of the line
};

/// A line in which inserts are looked for.
struct InsertLine {
  std::string_view line;
  std::size_t start = 0;    // its byte of the document
  std::size_t first = 0;    // the byte of the line after its markers
  std::size_t covered = 0;  // the byte of the document after the last insert
};

/// The insert or the text that begins at byte `from` of a line of the document.
Insert insert_at(std::string_view document, const InsertLine& in, std::size_t from);

}  // namespace heed::document
