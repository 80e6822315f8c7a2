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

struct Tag {
  std::size_t end = 0;  // the position after it; where the tag begins: there is none
  std::string name;     // of HTML in small letters
  std::size_t attributes = 0;
  std::size_t most_attributes_end = 0;  // the position after the attribute kMostAttributes
  bool closes = false, is_empty = false;
  std::optional<bool> translate = {};  // what it says of the element's text

  static constexpr std::size_t kMostAttributes = 256;
};

/// The tag that begins with the `<` at `at`. One without an end goes to the end of the page.
Tag tag_at(std::string_view page, std::size_t at, MarkupKind kind);

/// The position after the next end tag of HTML with this name.
std::optional<std::size_t> after_end_tag(std::string_view page, std::size_t at,
                                         const std::string& name);

/// The token that begins at `at`. Characters that only look like markup (`a < b`, `AT&T`) are text.
/// A tag or a comment without an end goes to the end of the page.
Token token_at(std::string_view page, std::size_t at, MarkupKind kind);

/// The name, for a message, of the markup that begins on the page and has no end there, so that
/// nothing after it is text: "the comment that begins with '<!-- Menu'", a tag, a declaration, a
/// section of CDATA, or an element that stays whole, such as `script`. Nothing where all markup has
/// an end. `is_page`: it is a whole page of HTML, whose elements end without their end tags, too,
/// apart from `script` and `style`.
std::optional<std::string> unclosed_markup(std::string_view page, MarkupKind kind,
                                           bool is_page = false);

}  // namespace heed::document
