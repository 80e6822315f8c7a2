// Accelerators of menus and buttons: the mark before the letter of a text that a key chooses, as in
// "&File" of Qt, KDE and Windows, "_File" of GTK and "~File" of LibreOffice.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "document/escaped_text.h"

namespace heed::document {

/// An accelerator in a text: the mark and the character after it.
struct Accelerator {
  char mark = '&';
  std::string letter = {};
};

/// The place of the only mark before a letter in a text, if it is an accelerator: no entity, no
/// "R&D", no part of an address, a tag or a placeholder. In a word ("E&xit") it is one only in a
/// short text.
std::optional<std::size_t> accelerator_in(std::string_view text, char mark,
                                          EscapedText::FindItem item);

/// Whether the text shows that this is the mark of its file: a word of few begins with it, and `_`
/// is before a capital letter.
bool shows_accelerators(std::string_view text, char mark, EscapedText::FindItem item);

/// The translation of a message of PO, as it is written there, with the accelerator: before the
/// first word that begins with its letter, else before this letter in a word, else before the first
/// letter. Where no letter could be typed, as in Chinese, it follows in brackets: "文件(&F)".
std::string with_accelerator(std::string_view written, const Accelerator& accelerator,
                             EscapedText::FindItem item);

}  // namespace heed::document
