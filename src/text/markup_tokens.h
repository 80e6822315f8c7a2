// HTML and XML cut into tags and text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

enum class MarkupKind { none, html, xml };

/// The kind called "html" or "xml"; MarkupKind::none for any other name.
MarkupKind markup_kind(std::string_view name);

inline constexpr std::string_view kMarkupBlanks = " \t\n\r\f";

struct MarkupToken {
  enum class Syntax {
    text,     // a byte, or a reference to a character
    opening,  // a tag of an element inside a sentence
    closing,
    whole,  // a void or empty element, a comment, code, an element that is not to be translated, or
            // a reference without a meaning here
    block,  // a tag of HTML, or an element not to be translated, that ends a sentence
  };
  Syntax syntax = Syntax::text;
  std::size_t bytes = 1;
  std::string text = {};  // the character of a reference
  std::string name = {};  // the name of a tag: "br" of "<BR/>"; an element that is whole has none
  bool needs_words = false;  // marks of emphasis: around nothing they would mean something else
};

/// The token that begins at `at`. Characters that only look like markup (`a < b`, `AT&T`) are text.
/// A tag or a comment without an end goes to the end of the page.
MarkupToken token_at(std::string_view page, std::size_t at, MarkupKind kind);

/// The name, for a message, of the markup that begins on the page and has no end there, so that
/// nothing after it is text: "the comment that begins with '<!-- Menu'", a tag, a declaration, a
/// section of CDATA, or an element that stays whole, such as `script`. Nothing where all markup has
/// an end.
std::optional<std::string> unclosed_markup(std::string_view page, MarkupKind kind);

}  // namespace heed::text
