// The little Unicode that scoring and drawing need: code points, white space, lower case, width on
// paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::eval {

/// Code points of UTF-8 text; each byte that belongs to no valid sequence becomes U+FFFD. Never
/// throws.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

/// Valid UTF-8 on one line: stray bytes become U+FFFD, line breaks and carriage returns become
/// blanks.
std::string one_clean_line(std::string_view text);

/// White space as Python's str.split() sees it.
bool is_space(char32_t c);

/// Punctuation and symbols of any script: neither letter, digit, space nor control character.
bool is_punctuation(char32_t c);

/// The blank-separated words, with Python's idea of a blank.
std::vector<std::string> unicode_words(std::string_view text);

/// Lower case as Python's str.lower() gives it, final sigma and dotted capital I included.
std::string lower_case(std::string_view text);

/// Width of the text in units of one font size: East Asian letters and emoji 1 (however many code
/// points an emoji has), narrow Latin letters less, combining marks 0. An estimate for sans-serif
/// fonts, a little generous.
double text_width(std::string_view text);

/// The text, or as much of it as fits with an ellipsis into `width`, in units of text_width; never
/// cut between a letter and its accents or inside an emoji.
std::string elide(std::string_view text, double width);

/// Whether the first letter is of a script that runs from right to left (rules P2 and P3 of the
/// Unicode bidirectional algorithm).
bool is_right_to_left(std::string_view text);

}  // namespace heed::eval
