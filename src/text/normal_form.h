// Unicode's composed normal form NFC, by utf8proc. Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

/// Letters and the marks behind them as one character, where there is one. `text` is UTF-8.
std::string to_nfc(std::string_view text);

/// Whether NFC joins letters and marks of the text.
bool is_decomposed(std::string_view text);

/// Whether it has a letter that NFD would take apart into several characters.
bool has_composed(std::string_view text);

/// NFC as a table of rules for SentencePiece, a line each: code points in hexadecimal, TAB, what
/// replaces them. It covers each letter with its marks in their order, and partly joined ones.
std::string nfc_rules();

}  // namespace heed::text
