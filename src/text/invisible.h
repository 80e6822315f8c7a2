// Characters that nobody sees and that stand inside words: soft hyphens, zero-width spaces, marks
// of direction, variation selectors, fillers.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

/// What becomes of zero-width spaces (U+200B) beside letters of Thai, Lao, Khmer, Burmese and
/// Tibetan, where they end words.
enum class ZeroWidthSpaces { stay, go };

/// Whether the text has a character of is_invisible() (text/utf8.h). It takes less time than
/// reading the text character by character.
bool has_invisible(std::string_view text);

/// Returns the text without its invisible characters, so that a word with them is the word without
/// them. Joiners (U+200C, U+200D) go only between letters of scripts that need none, such as Latin,
/// and never beside an emoji, nor beside a letter of Arabic or of a script of India; variation
/// selectors only after such letters. The letters of a flag stay after it. Invisible characters
/// between two blanks are a word by themselves, and stay.
std::string without_invisible(std::string_view text, ZeroWidthSpaces spaces = ZeroWidthSpaces::go);

/// Returns the text with single blanks, none at its ends, and without invisible characters.
std::string plain_text(std::string_view text);

}  // namespace heed::text
