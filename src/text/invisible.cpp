#include "text/invisible.h"

#include <cstddef>

#include "base/strings.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

/// Whether it joins or divides letters, as scripts of Asia need it.
bool is_joiner(char32_t c) {
  constexpr char32_t kMongolianSeparator = 0x180E;
  return c == 0x200C || c == 0x200D || c == kMongolianSeparator;
}

/// Whether it says how the character before it looks: a letter does not change by it, a symbol
/// does.
bool is_variation(char32_t c) {
  return c >= 0xFE00 && c <= 0xFE0F;
}

/// Whether it is one of the letters after the black flag that say whose flag it is.
bool is_tag_character(char32_t c) {
  return c >= 0xE0000 && c <= 0xE007F;
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
  constexpr char32_t kFlag = 0x1F3F4;
  if (is_joiner(c)) return needs_no_joiner(before) && needs_no_joiner(after);
  if (is_variation(c)) return script_of(before) != Script::none && needs_no_joiner(before);
  if (is_tag_character(c)) return before != kFlag;
  return c != 0x200B || spaces == ZeroWidthSpaces::go ||
         (!ends_words_unseen(before) && !ends_words_unseen(after));
}

}  // namespace

bool has_invisible(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  // All of them begin with these bytes, which most letters of most languages do not have.
  const auto may_begin = [&](std::size_t i) {
    switch (byte(i)) {
      case 0xC2:
      case 0xD8:
      case 0xE2:
      case 0xEF:
        return true;
      case 0xCD:
        return byte(i + 1) == 0x8F;
      case 0xE1:
      case 0xF3:
        return byte(i + 1) == 0xA0;
      case 0xE3:
        return byte(i + 1) == 0x85;
      default:
        return false;
    }
  };
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (byte(i) >= 0xC2 && may_begin(i) && is_invisible(code_point_at(text, i).value)) return true;
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
