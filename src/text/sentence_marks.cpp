#include "text/sentence_marks.h"

#include <algorithm>
#include <iterator>

#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

struct MarkRange {
  char32_t first, last;
};

/// Sentence_Terminal of Unicode 15, from U+0589, without what kOpenMarks has and U+104A; and the
/// Tibetan shads U+0F0D to U+0F11.
constexpr MarkRange kCertainMarks[] = {
    {0x589, 0x589},     {0x700, 0x702},     {0x7F9, 0x7F9},     {0x837, 0x837},
    {0x839, 0x839},     {0x83D, 0x83E},     {0x964, 0x965},     {0xF0D, 0xF11},
    {0x104B, 0x104B},   {0x1362, 0x1362},   {0x1367, 0x1368},   {0x166E, 0x166E},
    {0x1735, 0x1736},   {0x17D4, 0x17D5},   {0x1803, 0x1803},   {0x1809, 0x1809},
    {0x1944, 0x1945},   {0x1AA8, 0x1AAB},   {0x1B4E, 0x1B4F},   {0x1B5A, 0x1B5B},
    {0x1B5E, 0x1B5F},   {0x1B7D, 0x1B7F},   {0x1C3B, 0x1C3C},   {0x1C7E, 0x1C7F},
    {0x3002, 0x3002},   {0xA4FF, 0xA4FF},   {0xA60E, 0xA60F},   {0xA6F3, 0xA6F3},
    {0xA6F7, 0xA6F7},   {0xA876, 0xA877},   {0xA8CE, 0xA8CF},   {0xA92F, 0xA92F},
    {0xA9C8, 0xA9C9},   {0xAA5D, 0xAA5F},   {0xAAF0, 0xAAF1},   {0xABEB, 0xABEB},
    {0xFE12, 0xFE12},   {0xFE15, 0xFE16},   {0xFE56, 0xFE57},   {0xFF01, 0xFF01},
    {0xFF1F, 0xFF1F},   {0xFF61, 0xFF61},   {0x10A56, 0x10A57}, {0x10F55, 0x10F59},
    {0x10F86, 0x10F89}, {0x11047, 0x11048}, {0x110BE, 0x110C1}, {0x11141, 0x11143},
    {0x111C5, 0x111C6}, {0x111CD, 0x111CD}, {0x111DE, 0x111DF}, {0x11238, 0x11239},
    {0x1123B, 0x1123C}, {0x112A9, 0x112A9}, {0x1144B, 0x1144C}, {0x115C2, 0x115C3},
    {0x115C9, 0x115D7}, {0x11641, 0x11642}, {0x1173C, 0x1173E}, {0x11944, 0x11944},
    {0x11946, 0x11946}, {0x11A42, 0x11A43}, {0x11A9B, 0x11A9C}, {0x11C41, 0x11C42},
    {0x11EF7, 0x11EF8}, {0x11F43, 0x11F44}, {0x16A6E, 0x16A6F}, {0x16AF5, 0x16AF5},
    {0x16B37, 0x16B38}, {0x16B44, 0x16B44}, {0x16E98, 0x16E98}, {0x1BC9F, 0x1BC9F},
    {0x1DA88, 0x1DA88}};
static_assert(std::ranges::is_sorted(kCertainMarks, {}, &MarkRange::first));

/// ! ? …, the marks that are written so in several scripts, Arabic's, and the Greek question mark.
constexpr std::u32string_view kOpenMarks =
    U"!?\u2026\u037E\u061D\u061E\u061F\u06D4\u203C\u203D\u2047\u2048\u2049\u22EF\u2E2E\u2E3C\u2E53"
    U"\u2E54";

/// How far before a mark its script is looked for.
constexpr std::size_t kNear = 8;

bool has_digits_around(std::u32string_view text, std::size_t i) {
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && !is_letter(text[at]) && !is_punctuation(text[at]) &&
           !is_space(text[at]) && text[at] >= U'0';
  };
  return i > 0 && is_digit(i - 1) && is_digit(i + 1);
}

/// The script of the last letter before `i`, past quotes, brackets and blanks.
Script script_before(std::u32string_view text, std::size_t i) {
  for (std::size_t count = 0; i-- > 0 && count < kNear; ++count)
    if (is_letter(text[i])) return script_of(text[i]);
  return Script::none;
}

bool is_written_with_danda(Script script) {
  using enum Script;
  return script == devanagari || script == bengali || script == gurmukhi || script == gujarati ||
         script == oriya;
}

}  // namespace

MarkAt sentence_mark_at(std::u32string_view text, std::size_t i) {
  using enum SentenceMark;
  if (i >= text.size()) return {};
  if (text[i] < 0x80 && (is_letter(text[i]) || is_space(text[i]))) return {};  // most are
  const char32_t c = text[i], next = i + 1 < text.size() ? text[i + 1] : U'\0';
  switch (c) {
    case U'.':
    case U'\u2024':  // one dot leader
    case U'\uFE52':  // small full stop
      return {script_before(text, i) == Script::armenian ? none : dot};
    case U'\uFF0E':  // full-width full stop
      return {has_digits_around(text, i) ? none : certain};
    case U';':
      return {script_before(text, i) == Script::greek ? open : none};
    case U'|':
      return {is_written_with_danda(script_before(text, i)) ? open : none};
    case U':':
      if (next == U':' && script_before(text, i) == Script::ethiopic) return {certain, 2};
      return {script_before(text, i) == Script::armenian && !has_digits_around(text, i) ? open
                                                                                        : none};
    case U'\u1361':  // Ethiopic word space
      return next == c ? MarkAt{certain, 2} : MarkAt{};
    default:
      break;
  }
  if (kOpenMarks.find(c) != std::u32string_view::npos) return {open};
  if (c < kCertainMarks[0].first) return {};
  const auto* range = std::ranges::upper_bound(kCertainMarks, c, {}, &MarkRange::first);
  const bool is_certain = range != std::begin(kCertainMarks) && c <= std::prev(range)->last;
  return {is_certain && !has_digits_around(text, i) ? certain : none};
}

}  // namespace heed::text
