// Files that are not lines of text: pointers, pages, test sets in SGML, archives. Torch-free.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

/// What a file is, in words that end a message, with the cure.
struct NoText {
  std::string what;
  std::string program;      // makes lines of text of it, from standard input; "": there is none
  bool is_pointer = false;  // of Git LFS: no line of it means anything
};

/// How many bytes of a file no_text() looks at.
inline constexpr std::size_t kBeginning = 4096;

/// What the file is that begins so, by its first bytes after decompression; none for text. Markup
/// is none where text follows its first tag: lines of a corpus may well begin with <html>.
std::optional<NoText> no_text(std::string_view beginning);

}  // namespace heed::text
