// UTF-8 by the code point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

inline constexpr char32_t kReplacement = 0xFFFD;

struct CodePoint {
  char32_t value = 0;     // kReplacement where the bytes are no UTF-8
  std::size_t bytes = 0;  // how many of the text it takes, at least 1
  bool valid = true;
};

/// The code point at `position` < text.size(). Overlong forms, surrogates and values above U+10FFFF
/// are no UTF-8; the longest prefix that could have begun a character counts as one mistake.
CodePoint code_point_at(std::string_view text, std::size_t position);

/// The value of the code point before `position`; a space at the beginning.
char32_t value_before(std::string_view text, std::size_t position);

/// Calls `use(code point, its bytes)` for each in order.
template <class Use>
void each_code_point(std::string_view text, const Use& use) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    use(point, text.substr(at, point.bytes));
    at += point.bytes;
  }
}

/// Whether `is(code point)` holds for any code point of the text.
template <class Is>
bool any_code_point(std::string_view text, const Is& is) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (is(point)) return true;
    at += point.bytes;
  }
  return false;
}

/// The number of code points; broken bytes count as code_point_at() groups them.
int64_t count_code_points(std::string_view text);

/// Whether the character is a control character or a Unicode space, but no zero-width one.
bool is_space(char32_t value);

/// Whether the character takes no room and is no letter: zero-width spaces and joiners, marks of
/// direction, the soft hyphen, U+FEFF.
bool is_invisible(char32_t value);

/// Whether the text has nothing but spaces and invisible characters, or nothing at all.
bool is_blank(std::string_view text);

/// Whether the text has spaces (is_space()) that are not ASCII, such as U+00A0. Other programs see
/// letters there.
bool has_other_blanks(std::string_view text);

/// The text with one ASCII space for each character of is_space(), and U+FFFD for broken bytes.
std::string fold_spaces(std::string_view text);

bool is_ascii(std::string_view text);

/// Whether the text has no broken bytes, as code_point_at() finds them.
bool is_utf8(std::string_view text);

/// The text with U+FFFD for broken bytes, a space for NUL, and without U+FEFF, which is left over
/// where files were joined. The rest is untouched.
std::string repair(std::string_view text);

/// The values of code_point_at() for a whole text: broken bytes become U+FFFD. Never throws.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

/// Whether some program ends a line at this character: all at which Python's str.splitlines() does.
bool is_line_end(char32_t c);

/// The text as valid UTF-8 on one line: stray bytes become U+FFFD, line ends and NUL become blanks.
std::string one_clean_line(std::string_view text);

/// Whether Python's str.split() takes the character for white space.
bool is_python_space(char32_t c);

/// The word without punctuation (is_punctuation() in text/characters.h) at both ends.
std::string without_punctuation(std::string_view word);

/// The blank-separated words, with Python's idea of a blank.
std::vector<std::string> unicode_words(std::string_view text);

/// The text in lower case as Python's str.lower() gives it, final sigma and dotted capital I
/// included.
std::string lower_case(std::string_view text);
/// The text in capitals: each letter by to_upper(), but U+00DF becomes SS.
std::string upper_case(std::string_view text);

}  // namespace heed::text
