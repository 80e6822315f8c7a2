// What messages of programs have in their texts: plural forms or choices of ICU, as in "{count,
// plural, =0 {none} other {# files}}", of which only the texts inside are translated, forms of
// Symfony and Laravel, as in "one file|%count% files", and how their references of HTML are
// written.
// https://unicode-org.github.io/icu/userguide/format_parse/messages/
// https://symfony.com/doc/current/reference/formats/message_format.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/passage.h"
#include "document/segment.h"
#include "document/token.h"
#include "text/references.h"

namespace heed::document {

/// Divides a passage at what a program reads in such messages, which stays. Where the whole passage
/// is one choice, each of its texts is a sentence of its own. A choice inside a sentence is whole,
/// as a placeholder, and its texts are Passage::inside. Elements of XML may be inside the texts. A
/// passage without a choice, or with braces that do not fit together, stays as it is.
void divide_message(std::string_view bytes, Passage& passage);

/// Whether a text certainly has forms with `|` between them: an interval, `{0}` or `]1,Inf]`, is
/// before one, or two of them have the same placeholder, such as `%count%`.
bool shows_forms(std::string_view text);

/// Divides a passage of a file in which a text shows forms: at `|` without a blank on either side,
/// and after intervals before its forms. Each form is a sentence of its own. A passage without such
/// a `|` stays as it is.
void divide_forms(std::string_view bytes, Passage& passage);

/// How a translation is written whose source has tokens of message_markup().
struct ReferenceWriting {
  bool has_any = false;     // else it is written as without references
  bool has_quotes = false;  // quotes are references, too
  /// Writes the characters beyond ASCII as references that are so in the source. None: it has none.
  Enclose enclosed = {};
};

/// `begin`: what references begin with in the document, `&` or `&amp;`.
ReferenceWriting reference_writing(std::string_view bytes, const std::vector<Token>& tokens,
                                   std::string_view begin);

/// How texts of a format that has the characters of `write` are written beside such tokens.
template <std::string (*write)(std::string_view text)>
std::string (*escaped_in(const ReferenceWriting& references))(std::string_view text) {
  if (!references.has_any) return write;
  if (references.has_quotes)
    return [](std::string_view text) { return write(text::with_references_in_quotes(text)); };
  return [](std::string_view text) { return write(text::with_references(text)); };
}

}  // namespace heed::document
