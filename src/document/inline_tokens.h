// Finds the markup inside the sentences of documents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// The tokens of a subtitle that are no plain text, in order: tags, references to characters, and
/// settings such as {\an8}.
std::vector<Token> tokens_of_cues(std::string_view text);

/// Adds the reference, such as &amp;, that begins at `at`; returns its bytes or 0. For the model a
/// letter, and what stands inside a word, is a character; any other reference stays as it is.
std::size_t add_reference(std::string_view text, std::size_t at, std::vector<Token>& tokens);

}  // namespace heed::document
