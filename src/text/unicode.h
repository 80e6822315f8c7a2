// The little Unicode that scoring and measuring need: code points, white space, punctuation, lower
// case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// The values of code_point_at() (text/utf8.h): broken bytes become U+FFFD. Never throws.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

/// Where some reader ends a line: Python's str.splitlines() knows all of these.
bool is_line_end(char32_t c);

/// Valid UTF-8 on one line: stray bytes become U+FFFD, line ends and NUL become blanks.
std::string one_clean_line(std::string_view text);

/// White space as Python's str.split() sees it.
bool is_python_space(char32_t c);

/// Punctuation and symbols of any script: neither letter, digit, space nor control character.
bool is_punctuation(char32_t c);

/// Without is_punctuation() at both ends.
std::string without_punctuation(std::string_view word);

bool is_letter(char32_t c);

/// The blank-separated words, with Python's idea of a blank.
std::vector<std::string> unicode_words(std::string_view text);

/// Lower case as Python's str.lower() gives it, final sigma and dotted capital I included.
std::string lower_case(std::string_view text);

}  // namespace heed::text
