// Files whose first bytes say that they are no text.
#pragma once

#include <string_view>

namespace heed::text {

/// What the file is, in words that end a message, with the cure, as "a PDF, not lines of text;
/// ...";
/// "" where its first bytes may be those of a text.
std::string_view binary_form(std::string_view beginning);

}  // namespace heed::text
