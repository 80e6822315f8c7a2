// What of a document's text is markup. Torch-free.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/document.h"

namespace heed::text {

bool is_one_of(char c, std::string_view characters);

/// Before the first byte that is none of `characters`, or the end.
std::size_t behind_run(std::string_view text, std::string_view characters, std::size_t from = 0);

/// Tags, references, and {\an8}.
std::vector<MarkupSpan> markup_of_cues(std::string_view text);

/// Code, links, images, marks of notes, tags, references and addresses.
std::vector<MarkupSpan> markup_of_markdown(std::string_view text);

}  // namespace heed::text
