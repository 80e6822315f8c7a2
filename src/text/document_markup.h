// Finds the markup in a document's text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/document.h"

namespace heed::text {

bool is_one_of(char c, std::string_view characters);

/// The position, at or after `from`, of the first byte that is none of `characters`, or the text's
/// size.
std::size_t behind_run(std::string_view text, std::string_view characters, std::size_t from = 0);

/// The markup of a subtitle: tags, references to characters, and settings such as {\an8}.
std::vector<MarkupSpan> markup_of_cues(std::string_view text);

/// The markup of Markdown: code, links, images, marks of notes, tags, references to characters and
/// addresses.
std::vector<MarkupSpan> markup_of_markdown(std::string_view text);

}  // namespace heed::text
