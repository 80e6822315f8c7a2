// The messages of a PO file as they are written. The format is that of GNU gettext's manual, "The
// Format of PO Files".
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// What one character or escape of a string in quotes stands for.
struct PoCharacter {
  std::size_t bytes = 1;
  char value = 0;
};

/// The character at `at` of a string; escapes are those of C.
PoCharacter po_character_at(std::string_view text, std::size_t at);

/// A string of one or several parts in quotes.
struct PoString {
  ByteRange all;                 // from its first quote to its last
  std::vector<ByteRange> parts;  // between quotes

  bool is_empty() const {
    return std::ranges::all_of(parts, [](const ByteRange& part) { return part.is_empty(); });
  }
};

/// A message.
struct PoEntry {
  static constexpr std::size_t kNowhere = -1;

  std::size_t begin = kNowhere;  // its first keyword, or the message before a change
  std::size_t flags_at = 0;      // after the mark of its flags; 0: it has none
  std::vector<std::string> flags;
  std::string references;           // lines that say where it is used
  std::string notes;                // lines of its program for translators
  std::optional<PoString> context;  // msgctxt
  std::vector<PoString> ids, translations;
  std::size_t translations_from = 0;  // the first keyword msgstr

  bool is_header() const { return !context && ids.size() == 1 && ids[0].is_empty(); }
};

/// The characters of a string of the file `bytes`, for which escapes may stand.
std::string characters_of(std::string_view bytes, const PoString& string);

/// The messages of a file; those that are no longer used (`#~`) are left out. Throws UserError,
/// which names the line, where the file is not as the manual says.
std::vector<PoEntry> po_entries(std::string_view bytes);

}  // namespace heed::document
