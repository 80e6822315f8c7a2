#include "eval/unicode.h"

#include <locale.h>
#include <wctype.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed::eval {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// Length of the valid sequence that starts at `at`, 0 where there is none (RFC 3629: no surrogates,
// no overlong forms).
std::size_t sequence_length(std::string_view text, std::size_t at, char32_t& value) {
  const auto byte = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(at);
  if (first < 0x80) {
    value = first;
    return 1;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || at + length > text.size()) return 0;
  value = first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    value = (value << 6) | (byte(at + i) & 0x3F);
  }
  constexpr char32_t kSmallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kSmallest[length] || value > 0x10FFFF || surrogate ? 0 : length;
}

bool between(char32_t c, char32_t low, char32_t high) {
  return c >= low && c <= high;
}

bool is_wide(char32_t c) {
  return between(c, 0x1100, 0x115F) || between(c, 0x2E80, 0xA4CF) || between(c, 0xAC00, 0xD7A3) ||
         between(c, 0xF900, 0xFAFF) || between(c, 0xFE30, 0xFE6F) || between(c, 0xFF00, 0xFF60) ||
         between(c, 0xFFE0, 0xFFE6) || between(c, 0x1F300, 0x1FAFF) || between(c, 0x20000, 0x3FFFD);
}

constexpr char32_t kJoiner = 0x200D;  // glues emoji together

bool is_regional(char32_t c) {  // two of them are a flag
  return between(c, 0x1F1E6, 0x1F1FF);
}

// Vowel signs and marks above or below, which the blocks of India have at the same places.
bool is_indic_mark(char32_t c) {
  const char32_t place = c & 0x7F;
  return between(c, 0x0900, 0x0D7F) &&
         (place <= 0x02 || place == 0x3C || between(place, 0x41, 0x48) || place == 0x4D);
}

bool has_no_width(char32_t c) {
  return between(c, 0x0300, 0x036F) || between(c, 0x0591, 0x05BD) || between(c, 0x064B, 0x065F) ||
         is_indic_mark(c) || c == 0x0E31 || between(c, 0x0E34, 0x0E3A) ||
         between(c, 0x0E47, 0x0E4E) || between(c, 0x200B, 0x200F) || between(c, 0x202A, 0x202E) ||
         between(c, 0x2066, 0x2069) || between(c, 0x20D0, 0x20FF) || between(c, 0xFE00, 0xFE0F) ||
         c == 0xFEFF || between(c, 0x1F3FB, 0x1F3FF) || between(c, 0xE0020, 0xE007F);
}

double width_of(char32_t c) {
  constexpr std::string_view kNarrow = "iljtfrI.,:;!'|()[]- ", kBroad = "mwMW@%";
  if (is_wide(c) || is_regional(c)) return 1.05;
  if (c < 0x80 && kNarrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.36;
  if (c < 0x80 && kBroad.find(static_cast<char>(c)) != std::string_view::npos) return 0.95;
  return c == 0x2581 ? 0.85 : between(c, 'A', 'Z') ? 0.7 : 0.6;
}

// What stands at `at` with all that may not be torn from it: marks, joined emoji, a flag's halves.
std::size_t cluster_end(const std::u32string& text, std::size_t at) {
  std::size_t end = at + 1;
  if (end < text.size() && is_regional(text[at]) && is_regional(text[end])) ++end;
  while (end < text.size() && (has_no_width(text[end]) || text[end - 1] == kJoiner)) ++end;
  return end;
}

double cluster_width(char32_t first) {
  return has_no_width(first) ? 0 : width_of(first);
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

bool is_letter(char32_t c) {
  if (c < 0x80) return (c | 32) >= 'a' && (c | 32) <= 'z';
  return utf8_locale() && iswalpha_l(static_cast<wint_t>(c), utf8_locale());
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
  for (std::size_t at = 0; at < text.size();) {
    char32_t value = 0;
    const std::size_t length = sequence_length(text, at, value);
    out += length ? value : kReplacement;
    at += length ? length : 1;
  }
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
  for (char32_t& c : points) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return encode_utf8(points);
}

bool is_space(char32_t c) {
  return between(c, 0x09, 0x0D) || between(c, 0x1C, 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return between(c, '!', '~') && !is_letter(c) && !between(c, '0', '9');
  return utf8_locale() && iswpunct_l(static_cast<wint_t>(c), utf8_locale());
}

std::vector<std::string> unicode_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    char32_t value = kReplacement;
    const std::size_t length = sequence_length(text, at, value);
    if (length && is_space(value)) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += length ? std::string(text.substr(at, length)) : encode_utf8(U"\uFFFD");
    }
    at += length ? length : 1;
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

double text_width(std::string_view text) {
  const std::u32string points = decode_utf8(text);
  double width = 0;
  for (std::size_t at = 0; at < points.size(); at = cluster_end(points, at))
    width += cluster_width(points[at]);
  return width;
}

std::string elide(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  const std::u32string points = decode_utf8(text);
  const double room = width - width_of(U'\u2026');
  std::size_t at = 0;
  for (double used = 0; at < points.size(); at = cluster_end(points, at)) {
    used += cluster_width(points[at]);
    if (used > room) break;
  }
  return encode_utf8(points.substr(0, at)) + "\u2026";
}

bool is_right_to_left(std::string_view text) {
  for (const char32_t c : decode_utf8(text)) {
    if (is_letter(c))
      return between(c, 0x0590, 0x08FF) || between(c, 0xFB1D, 0xFDFF) ||
             between(c, 0xFE70, 0xFEFC) || between(c, 0x10800, 0x10FFF) ||
             between(c, 0x1E800, 0x1EFFF);
  }
  return false;
}

}  // namespace heed::eval
