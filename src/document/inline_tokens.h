// Finds the markup inside the sentences of documents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// The tokens of Markdown that are no plain text, in order: emphasis, code, links, images, marks of
/// notes, tags, references to characters and addresses.
std::vector<Token> tokens_of_markdown(std::string_view text);

}  // namespace heed::document
