// Messages with plural forms or choices of ICU, as in "{count, plural, =0 {none} other {# files}}",
// of which only the texts inside are translated.
// https://unicode-org.github.io/icu/userguide/format_parse/messages/
#pragma once

#include <string_view>

#include "document/passage.h"

namespace heed::document {

/// Divides a passage at what a program reads in such messages, which stays. Where the whole passage
/// is one choice, each of its texts is a sentence of its own. A choice inside a sentence is whole,
/// as a placeholder, and its texts are Passage::inside. Elements of XML may be inside the texts. A
/// passage without a choice, or with braces that do not fit together, stays as it is.
void divide_message(std::string_view bytes, Passage& passage);

}  // namespace heed::document
