#include "text/unicode.h"

#include <locale.h>
#include <wctype.h>

#include <cstddef>

#include "text/utf8.h"

namespace heed::text {
namespace {

bool between(char32_t c, char32_t low, char32_t high) {
  return c >= low && c <= high;
}

locale_t utf8_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

char32_t lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if (!utf8_locale()) return c;
  return static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), utf8_locale()));
}

// A capital sigma that ends a word: a letter before it, none after it.
bool is_final_sigma(const std::u32string& text, std::size_t at) {
  return text[at] == 0x3A3 && at > 0 && is_letter(text[at - 1]) &&
         (at + 1 == text.size() || !is_letter(text[at + 1]));
}

}  // namespace

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
         c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return between(c, '!', '~') && !is_letter(c) && !between(c, '0', '9');
  return utf8_locale() && iswpunct_l(static_cast<wint_t>(c), utf8_locale());
}

bool is_letter(char32_t c) {
  if (c < 0x80) return (c | 32) >= 'a' && (c | 32) <= 'z';
  return utf8_locale() && iswalpha_l(static_cast<wint_t>(c), utf8_locale());
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
      out += is_final_sigma(points, i) ? U'\u03C2' : lower(points[i]);
    }
  }
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
