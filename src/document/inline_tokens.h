// References to characters inside the sentences of Markdown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// Adds the reference, such as &amp;, that begins at `at`; returns its bytes or 0. For the model a
/// letter, and what stands inside a word, is a character; any other reference stays as it is.
std::size_t add_reference(std::string_view text, std::size_t at, std::vector<Token>& tokens);

}  // namespace heed::document
