// Markup inside of messages of programs.
#pragma once

#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// The markup of a message beside its tags, as EscapedText::FindMarkup. References of HTML to
/// letters and marks are characters; others, such as `&larr;`, are whole, and so are code in
/// backticks and escapes that a text is about, such as `\n`. What programs show as Markdown is
/// around its text: `[text](address)`, `**text**`, and Apple's `^[text](inflect: true)`.
std::vector<Token> message_markup(std::string_view text);

}  // namespace heed::document
