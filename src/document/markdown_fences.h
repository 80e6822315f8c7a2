// Fences of Markdown, of which directives of MyST are one kind.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::document {

/// A mark of at least three characters and what follows it: a fence of code or of a directive of
/// MyST, or a container.
struct Fence {
  char mark = 0;
  std::size_t length = 0;  // of the mark; 0: it is none
  std::string_view info;   // what follows it
};

Fence fence_of(std::string_view text);

/// The name of the directive of MyST, "note" of `{note} Title`, that `info` begins with; "" where
/// there is none.
std::string_view directive_of(std::string_view info);

/// Whether what is in the directive is text. Names that are not known here may be languages, whose
/// code R Markdown and Quarto write in the same way.
bool is_directive_of_text(std::string_view directive);

/// Whether what is in the directive is no text, whatever its mark.
bool is_directive_of_code(std::string_view directive);

/// Whether what follows the name of the directive is a file or the like, not a title.
bool has_no_title(std::string_view directive);

}  // namespace heed::document
