// Unicode's composed normal form NFC, by utf8proc.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

/// The text with one character for each letter and the marks after it, where Unicode has one.
/// `text` is UTF-8.
std::string to_nfc(std::string_view text);

/// The text with usual letters in place of their forms in other widths and of ligatures, which look
/// different and are the same: full-width Latin, half-width katakana, `ﬁ`, the forms of Arabic.
std::string with_usual_forms(std::string_view text);

/// Whether to_nfc() joins letters and marks of the text.
bool is_decomposed(std::string_view text);

/// Whether the text has a letter that the decomposed form NFD writes as several characters.
bool has_composed(std::string_view text);

/// NFC as a table of rules for SentencePiece, a line each: code points in hexadecimal, TAB, what
/// replaces them. It covers each letter with its marks in their order, and partly joined ones.
std::string nfc_rules();

}  // namespace heed::text
