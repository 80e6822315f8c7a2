#include "text/normal_form.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/error.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

/// The character fully decomposed, with its marks in canonical order; `how`: UTF8PROC_COMPAT for
/// compatible ones, too.
std::u32string decomposed(char32_t c, int how = 0) {
  std::array<utf8proc_int32_t, 32> parts{};
  int unused = 0;
  const auto count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | how), &unused);
  expect(count > 0 && count <= std::ssize(parts), "a character with a decomposition");
  return {parts.begin(), parts.begin() + count};
}

/// Whether NFC may join the character to a letter before it: marks, vowels and final consonants of
/// Hangul.
bool may_join(char32_t c) {
  if (c < 0x300) return false;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class != 0 ||
         (c >= 0x1161 && c <= 0x11C2);
}

std::string hexadecimal(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text)
    out += fmt::format("{}{:X}", out.empty() ? "" : " ", static_cast<uint32_t>(c));
  return out;
}

/// The byte after the longest beginning of `text` with at most kMostMarks marks in a row: utf8proc
/// takes the square of their number to put them in order.
std::size_t end_of_few_marks(std::string_view text) {
  constexpr int kMostMarks = 30;  // of Stream-Safe Text Format (UAX #15, section 13)
  int marks = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = code_point_at(text, at);
    const bool is_mark =
        point.value >= 0x300 &&
        utf8proc_get_property(static_cast<utf8proc_int32_t>(point.value))->combining_class != 0;
    marks = is_mark ? marks + 1 : 0;
    if (marks > kMostMarks) break;
    at += point.bytes;
  }
  return at;
}

std::string nfc_of_few_marks(std::string_view text) {
  utf8proc_uint8_t* composed = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &composed,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(composed, &std::free);
  expect(size >= 0, "text in UTF-8");
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size)};
}

std::u32string nfc_of(const std::u32string& text) {
  return decode_utf8(to_nfc(encode_utf8(text)));
}

}  // namespace

std::string to_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = end_of_few_marks(text);
    out += nfc_of_few_marks(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string with_usual_forms(std::string_view text) {
  constexpr char32_t kFirstForm = 0xFB00, kLastForm = 0xFFEF;
  if (is_ascii(text)) return std::string(text);
  std::string out;
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    if (point.value >= kFirstForm && point.value <= kLastForm && point.valid)
      out += encode_utf8(decomposed(point.value, UTF8PROC_COMPAT));
    else
      out += bytes;
  });
  return out;
}

bool is_decomposed(std::string_view text) {
  return !is_ascii(text) &&
         any_code_point(text, [](const CodePoint& point) { return may_join(point.value); }) &&
         count_code_points(to_nfc(text)) < count_code_points(text);
}

bool has_composed(std::string_view text) {
  return !is_ascii(text) && any_code_point(text, [](const CodePoint& point) {
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(point.value));
    const bool syllable = point.value >= 0xAC00 && point.value <= 0xD7A3;
    return syllable || (property->decomp_type == 0 && property->decomp_seqindex != UINT16_MAX);
  });
}

std::string nfc_rules() {
  constexpr char32_t kEnd = 0x110000;
  std::map<std::u32string, std::u32string> rules;
  for (char32_t c = 0xC0; c < kEnd; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::u32string parts = decomposed(c);
    if (parts.size() == 1 && parts[0] == c) continue;
    const std::u32string target = nfc_of(std::u32string(1, c));
    rules[{c}] = target;
    for (std::size_t joined = 1; joined <= parts.size(); ++joined)
      rules[nfc_of(parts.substr(0, joined)) + parts.substr(joined)] = target;
  }
  std::string out;
  for (const auto& [from, to] : rules)
    if (from != to) out += hexadecimal(from) + "\t" + hexadecimal(to) + "\n";
  return out;
}

}  // namespace heed::text
