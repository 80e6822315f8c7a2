// HTML and XML cut into tags and text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "document/token.h"

namespace heed::document {

enum class MarkupKind { none, html, xml };

/// The kind called "html" or "xml"; MarkupKind::none for any other name.
MarkupKind markup_kind(std::string_view name);

inline constexpr std::string_view kMarkupBlanks = " \t\n\r\f";

/// The token that begins at `at`. Characters that only look like markup (`a < b`, `AT&T`) are text.
/// A tag or a comment without an end goes to the end of the page.
Token token_at(std::string_view page, std::size_t at, MarkupKind kind);

/// The name, for a message, of the markup that begins on the page and has no end there, so that
/// nothing after it is text: "the comment that begins with '<!-- Menu'", a tag, a declaration, a
/// section of CDATA, or an element that stays whole, such as `script`. Nothing where all markup has
/// an end.
std::optional<std::string> unclosed_markup(std::string_view page, MarkupKind kind);

}  // namespace heed::document
