#include "text/invisible.h"

#include <cstddef>

#include "base/strings.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

bool is_joiner(char32_t c) {
  return c == 0x200C || c == 0x200D;
}

/// Whether a joiner beside this character changes nothing that a reader needs.
bool needs_no_joiner(char32_t c) {
  if (c < 0x80 || is_space(c)) return true;
  switch (script_of(c)) {
    case Script::latin:
    case Script::greek:
    case Script::cyrillic:
    case Script::armenian:
    case Script::hebrew:
    case Script::georgian:
    case Script::ethiopic:
    case Script::hangul:
    case Script::han_and_kana:
    case Script::thai:
    case Script::lao:
      return true;
    default:
      return false;
  }
}

/// Whether a zero-width space beside this letter says where a word ends.
bool ends_words_unseen(char32_t c) {
  const Script script = script_of(c);
  return has_no_blanks(script) && script != Script::han_and_kana;
}

/// Whether a character of a run goes, which stands between `before` and `after`.
bool is_left_out(char32_t c, char32_t before, char32_t after, ZeroWidthSpaces spaces) {
  if (is_joiner(c)) return needs_no_joiner(before) && needs_no_joiner(after);
  return c != 0x200B || spaces == ZeroWidthSpaces::go ||
         (!ends_words_unseen(before) && !ends_words_unseen(after));
}

}  // namespace

bool has_invisible(std::string_view text) {
  // All of them begin with one of these bytes, which other scripts of Europe do not have.
  constexpr unsigned char kSoft = 0xC2, kArabic = 0xD8, kMarks = 0xE2, kByteOrder = 0xEF;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < kSoft) continue;
    if ((byte == kSoft || byte == kArabic || byte == kMarks || byte == kByteOrder) &&
        is_invisible(code_point_at(text, i).value))
      return true;
  }
  return false;
}

std::string without_invisible(std::string_view text, ZeroWidthSpaces spaces) {
  const std::u32string points = decode_utf8(text);
  std::u32string out;
  char32_t before = U' ';
  for (std::size_t begin = 0; begin < points.size();) {
    if (!is_invisible(points[begin])) {
      out += before = points[begin++];
      continue;
    }
    std::size_t end = begin;
    while (end < points.size() && is_invisible(points[end])) ++end;
    const char32_t after = end < points.size() ? points[end] : U' ';
    const bool is_word = is_space(before) && is_space(after);
    for (; begin < end; ++begin)
      if (is_word || !is_left_out(points[begin], before, after, spaces)) out += points[begin];
  }
  return encode_utf8(out);
}

std::string plain_text(std::string_view text) {
  std::string out = join(split_words(fold_spaces(text)), " ");
  return has_invisible(out) ? without_invisible(out) : out;
}

}  // namespace heed::text
