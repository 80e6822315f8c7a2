// HTML and XML cut into tags and text. Torch-free.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

enum class MarkupKind { none, html, xml };

/// Of "html" or "xml"; of any other name none.
MarkupKind markup_kind(std::string_view name);

inline constexpr std::string_view kMarkupBlanks = " \t\n\r\f";

struct MarkupToken {
  enum class Syntax {
    text,     // a byte, or a reference to a character
    opening,  // tags of elements inside a sentence
    closing,
    whole,  // void and empty elements, comments, code, what is not to be translated, and references
            // without a meaning here
    block,  // of HTML: a tag, or an element that is not to be translated, where a sentence ends
  };
  Syntax syntax = Syntax::text;
  std::size_t bytes = 1;
  std::string text = {};  // the character of a reference
  std::string name = {};  // of a tag: "br" of "<BR/>"; an element that is whole has none
};

/// The token that begins at this place. What is no markup (`a < b`, `AT&T`) is text. A tag or a
/// comment without an end goes to the end of the page.
MarkupToken token_at(std::string_view page, std::size_t at, MarkupKind kind);

/// What of a page begins and has no end there, so that nothing behind it is text: "the comment that
/// begins with '<!-- Menu'", a tag, a declaration, a section of CDATA, or an element that stays
/// whole, such as `script`. Nothing where all ends.
std::optional<std::string> unclosed_markup(std::string_view page, MarkupKind kind);

}  // namespace heed::text
