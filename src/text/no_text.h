// Files that are not lines of text: pointers, pages, test sets in SGML, archives, documents.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

/// A file that is not text, described in words that end a message, with the cure.
struct NoText {
  std::string what;
  std::string program;  // turns the file, on standard input, into lines of text; "": there is none
  bool makes_table = false;  // it writes both sides of a line: source TAB target
  bool is_pointer = false;   // a pointer of Git LFS, of which no line means anything
  bool is_one_line = false;  // words that a text of one line may be, too
  /// What the names of such documents end in, as "html"; "": it is no document.
  std::string_view ending = {};

  /// Whether documents whose names end so may be such files, as those of XLIFF are files of XML,
  /// and one ending is that of several kinds of subtitles. There are blanks between the endings.
  bool may_be(std::string_view endings) const;
};

/// The number of bytes of a file that no_text() looks at.
inline constexpr std::size_t kBeginning = 4096;

/// Recognises a file that is not text by its first bytes after decompression; nothing for text.
/// If text follows the first tag, the file is text: lines of a corpus may well begin with <html>.
/// Messages of gettext, subtitles and JSON are told by all of these bytes, not by one line.
std::optional<NoText> no_text(std::string_view beginning);

}  // namespace heed::text
