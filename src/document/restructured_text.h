// Inline markup of reStructuredText, in the messages that Sphinx takes out of documentation.
// https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#inline-markup
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// The markup of a text as EscapedText::FindMarkup: ``code``, roles (:func:`print`), |names|,
/// references (`Name`_, name_, [1]_) are whole; the text of **strong** and *emphasis*, of links
/// (`text <address>`_) and of references with a text of their own (:ref:`text <label>`) is between
/// an opening and a closing token. A character after a backslash is text.
std::vector<Token> restructured_markup(std::string_view text);

/// Whether a text has markup that no other text has: a role, or ``code``.
bool shows_restructured_text(std::string_view text);

/// The characters of a text with a backslash before those that begin markup.
std::string with_restructured_escapes(std::string_view text);

/// A translation, as a message of PO has it, with "\ " between markup and letters or other markup
/// directly beside it, without which it would be no markup, as in Chinese. A link that has lost its
/// text shows its target.
std::string with_markup_apart(std::string_view written);

}  // namespace heed::document
