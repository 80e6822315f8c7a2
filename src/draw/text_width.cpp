#include "draw/text_width.h"

#include <cstddef>

#include "text/unicode.h"

namespace heed::draw {
namespace {

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

}  // namespace

double text_width(std::string_view line) {
  const std::u32string points = text::decode_utf8(line);
  double width = 0;
  for (std::size_t at = 0; at < points.size(); at = cluster_end(points, at))
    width += cluster_width(points[at]);
  return width;
}

std::string elide(std::string_view line, double width) {
  if (text_width(line) <= width) return std::string(line);
  const std::u32string points = text::decode_utf8(line);
  const double room = width - width_of(U'\u2026');
  std::size_t at = 0;
  for (double used = 0; at < points.size(); at = cluster_end(points, at)) {
    used += cluster_width(points[at]);
    if (used > room) break;
  }
  return text::encode_utf8(points.substr(0, at)) + "\u2026";
}

bool is_right_to_left(std::string_view line) {
  for (const char32_t c : text::decode_utf8(line)) {
    if (text::is_letter(c))
      return between(c, 0x0590, 0x08FF) || between(c, 0xFB1D, 0xFDFF) ||
             between(c, 0xFE70, 0xFEFC) || between(c, 0x10800, 0x10FFF) ||
             between(c, 0x1E800, 0x1EFFF);
  }
  return false;
}

}  // namespace heed::draw
