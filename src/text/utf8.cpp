#include "text/utf8.h"

#include "text/characters.h"

namespace heed::text {
namespace {

constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD", kByteOrderMarkBytes = "\xEF\xBB\xBF";
constexpr char32_t kByteOrderMark = 0xFEFF;

/// The meaning of the first byte of a character: how many bytes it has, the bits that the first
/// byte contributes, and the range of the second byte.
struct Lead {
  std::size_t bytes = 0;
  char32_t payload = 0;
  unsigned char low = 0x80, high = 0xBF;
};

Lead lead(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, byte & 0x1Fu};
  if (byte == 0xE0) return {3, 0, 0xA0, 0xBF};     // below are overlong
  if (byte == 0xED) return {3, 0x0D, 0x80, 0x9F};  // above are surrogates
  if (byte >= 0xE1 && byte <= 0xEF) return {3, byte & 0x0Fu};
  if (byte == 0xF0) return {4, 0, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, byte & 0x07u};
  if (byte == 0xF4) return {4, 4, 0x80, 0x8F};  // above U+10FFFF
  return {};
}

bool between(char32_t c, char32_t low, char32_t high) {
  return c >= low && c <= high;
}

/// Whether the character is a space or line end of Unicode beyond Latin-1.
bool is_wide_space(char32_t c) {
  return c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool has_case(char32_t c) {
  return to_lower(c) != c || to_upper(c) != c;
}

/// Whether the character is a capital sigma that ends a word: a letter stands before it, and none
/// with case after it. An accent that is a character of its own has no case.
bool is_final_sigma(const std::u32string& text, std::size_t at) {
  if (text[at] != 0x3A3 || at == 0 || !is_letter(text[at - 1])) return false;
  std::size_t next = at + 1;
  while (next < text.size() && is_letter(text[next]) && !has_case(text[next])) ++next;
  return next == text.size() || !is_letter(text[next]);
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  const Lead first = lead(byte(0));
  if (first.bytes == 0) return {kReplacement, 1, false};
  char32_t value = first.payload;
  for (std::size_t i = 1; i < first.bytes; ++i) {
    const unsigned char low = i == 1 ? first.low : 0x80, high = i == 1 ? first.high : 0xBF;
    if (position + i >= text.size() || byte(i) < low || byte(i) > high)
      return {kReplacement, i, false};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  return {value, first.bytes, true};
}

char32_t value_before(std::string_view text, std::size_t position) {
  std::size_t begin = position;
  while (begin > 0 && position - begin < 4)
    if ((static_cast<unsigned char>(text[--begin]) & 0xC0U) != 0x80) break;
  return begin == position ? U' ' : code_point_at(text.substr(0, position), begin).value;
}

int64_t count_code_points(std::string_view text) {
  int64_t count = 0;
  each_code_point(text, [&](const CodePoint&, std::string_view) { ++count; });
  return count;
}

bool is_space(char32_t value) {
  return value <= 0x20 || between(value, 0x7F, 0xA0) || is_wide_space(value);
}

bool is_invisible(char32_t value) {
  constexpr char32_t kGraphemeJoiner = 0x34F, kMongolianSeparator = 0x180E, kHangulFiller = 0x3164,
                     kObject = 0xFFFC;
  return value == 0xAD || value == kGraphemeJoiner || value == 0x61C ||
         value == kMongolianSeparator || between(value, 0x200B, 0x200F) ||
         between(value, 0x202A, 0x202E) || between(value, 0x2060, 0x206F) ||
         value == kHangulFiller || between(value, 0xFE00, 0xFE0F) || value == kByteOrderMark ||
         value == kObject || between(value, 0xE0000, 0xE007F);
}

bool is_blank(std::string_view text) {
  return !any_code_point(text, [](const CodePoint& point) {
    return !is_space(point.value) && !is_invisible(point.value);
  });
}

bool has_other_blanks(std::string_view text) {
  return !is_ascii(text) && any_code_point(text, [](const CodePoint& point) {
    return point.value >= 0x80 && is_space(point.value);
  });
}

std::string fold_spaces(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    if (is_space(point.value))
      out += ' ';
    else
      out += point.valid ? bytes : kReplacementBytes;
  });
  return out;
}

bool is_ascii(std::string_view text) {
  unsigned char bits = 0;  // without a branch in the loop, which the compiler then vectorises
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return bits < 0x80;
}

bool is_utf8(std::string_view text) {
  return !any_code_point(text, [](const CodePoint& point) { return !point.valid; });
}

std::string repair(std::string_view text) {
  const bool sound =
      is_ascii(text) || (is_utf8(text) && text.find(kByteOrderMarkBytes) == std::string_view::npos);
  if (sound && text.find('\0') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    if (point.value == 0)
      out += ' ';
    else if (point.value != kByteOrderMark)
      out += point.valid ? bytes : kReplacementBytes;
  });
  return out;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  each_code_point(text, [&](const CodePoint& point, std::string_view) { out += point.value; });
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xC0 | (c >> 6));
      tail(0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xE0 | (c >> 12));
      tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | (c >> 18));
      tail(12), tail(6), tail(0);
    }
  }
  return out;
}

std::string one_clean_line(std::string_view text) {
  std::u32string points = decode_utf8(text);
  for (char32_t& c : points)
    if (c == 0 || is_line_end(c)) c = ' ';
  return encode_utf8(points);
}

bool is_line_end(char32_t c) {
  return between(c, 0x0A, 0x0D) || between(c, 0x1C, 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

bool is_python_space(char32_t c) {
  return between(c, 0x09, 0x0D) || between(c, 0x1C, 0x20) || c == 0x85 || c == 0xA0 ||
         is_wide_space(c);
}

std::vector<std::string> unicode_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char32_t c : decode_utf8(text)) {
    const bool blank = is_python_space(c);
    if (!blank && !inside) words.emplace_back();
    if (!blank) words.back() += encode_utf8({&c, 1});
    inside = !blank;
  }
  return words;
}

std::string lower_case(std::string_view text) {
  const std::u32string points = decode_utf8(text);
  std::u32string out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] == 0x130) {
      out += U"i\u0307";
    } else {
      out += is_final_sigma(points, i) ? U'\u03C2' : to_lower(points[i]);
    }
  }
  return encode_utf8(out);
}

std::string upper_case(std::string_view text) {
  std::u32string out;
  for (const char32_t c : decode_utf8(text))
    if (c == U'\u00DF')
      out += U"SS";
    else
      out += to_upper(c);
  return encode_utf8(out);
}

std::string without_punctuation(std::string_view word) {
  const std::u32string all = decode_utf8(word);
  std::u32string_view left = all;
  while (!left.empty() && is_punctuation(left.back())) left.remove_suffix(1);
  while (!left.empty() && is_punctuation(left.front())) left.remove_prefix(1);
  return encode_utf8(left);
}

}  // namespace heed::text
