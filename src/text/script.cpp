#include "text/script.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace heed::text {
namespace {

struct Range {
  char32_t first, last;
  Script script;
};

// Blocks of Unicode 15, in order; combining marks count as letters of their script.
constexpr Range kRanges[] = {
    {0x41, 0x5A, Script::latin},
    {0x61, 0x7A, Script::latin},
    {0xAA, 0xAA, Script::latin},
    {0xBA, 0xBA, Script::latin},
    {0xC0, 0xD6, Script::latin},
    {0xD8, 0xF6, Script::latin},
    {0xF8, 0x2AF, Script::latin},
    {0x370, 0x373, Script::greek},
    {0x376, 0x377, Script::greek},
    {0x37B, 0x37D, Script::greek},
    {0x37F, 0x37F, Script::greek},
    {0x386, 0x386, Script::greek},
    {0x388, 0x3FF, Script::greek},
    {0x400, 0x52F, Script::cyrillic},
    {0x531, 0x556, Script::armenian},
    {0x561, 0x587, Script::armenian},
    {0x591, 0x5F2, Script::hebrew},
    {0x620, 0x65F, Script::arabic},
    {0x66E, 0x6D3, Script::arabic},
    {0x6D5, 0x6EF, Script::arabic},
    {0x6FA, 0x6FF, Script::arabic},
    {0x710, 0x74F, Script::other},
    {0x750, 0x77F, Script::arabic},
    {0x780, 0x7B1, Script::other},
    {0x7CA, 0x7F5, Script::other},
    {0x8A0, 0x8FF, Script::arabic},
    {0x900, 0x963, Script::devanagari},
    {0x971, 0x97F, Script::devanagari},
    {0x980, 0x9E3, Script::bengali},
    {0xA01, 0xA5E, Script::gurmukhi},
    {0xA70, 0xA76, Script::gurmukhi},
    {0xA81, 0xAE3, Script::gujarati},
    {0xB01, 0xB63, Script::oriya},
    {0xB82, 0xBD7, Script::tamil},
    {0xC00, 0xC63, Script::telugu},
    {0xC80, 0xCE3, Script::kannada},
    {0xD00, 0xD63, Script::malayalam},
    {0xD81, 0xDF3, Script::sinhala},
    {0xE01, 0xE3A, Script::thai},
    {0xE40, 0xE4E, Script::thai},
    {0xE81, 0xECD, Script::lao},
    {0xEDC, 0xEDF, Script::lao},
    {0xF40, 0xFBC, Script::tibetan},
    {0x1000, 0x103F, Script::burmese},
    {0x1050, 0x108F, Script::burmese},
    {0x10A0, 0x10FF, Script::georgian},
    {0x1100, 0x11FF, Script::hangul},
    {0x1200, 0x135A, Script::ethiopic},
    {0x13A0, 0x13FD, Script::other},
    {0x1401, 0x166C, Script::other},
    {0x1780, 0x17D3, Script::khmer},
    {0x1820, 0x18AA, Script::other},
    {0x1C90, 0x1CBF, Script::georgian},
    {0x1E00, 0x1EFF, Script::latin},
    {0x1F00, 0x1FFE, Script::greek},
    {0x2D30, 0x2D7F, Script::other},
    {0x3041, 0x309F, Script::han_and_kana},
    {0x30A1, 0x30FF, Script::han_and_kana},
    {0x3131, 0x318E, Script::hangul},
    {0x31F0, 0x31FF, Script::han_and_kana},
    {0x3400, 0x4DBF, Script::han_and_kana},
    {0x4E00, 0x9FFF, Script::han_and_kana},
    {0xAC00, 0xD7A3, Script::hangul},
    {0xF900, 0xFAFF, Script::han_and_kana},
    {0xFB00, 0xFB06, Script::latin},
    {0xFB1D, 0xFB4F, Script::hebrew},
    {0xFB50, 0xFDFF, Script::arabic},
    {0xFE70, 0xFEFC, Script::arabic},
    {0xFF21, 0xFF3A, Script::latin},
    {0xFF41, 0xFF5A, Script::latin},
    {0xFF66, 0xFF9F, Script::han_and_kana},
    {0x20000, 0x323AF, Script::han_and_kana},
};

constexpr bool in_order() {
  for (std::size_t i = 1; i < std::size(kRanges); ++i)
    if (kRanges[i].first <= kRanges[i - 1].last) return false;
  return true;
}
static_assert(in_order());

}  // namespace

Script script_of(char32_t c) {
  const auto* range =
      std::ranges::lower_bound(kRanges, c, {}, [](const Range& r) { return r.last; });
  return range != std::end(kRanges) && c >= range->first ? range->script : Script::none;
}

bool has_no_blanks(Script script) {
  switch (script) {
    case Script::han_and_kana:
    case Script::thai:
    case Script::lao:
    case Script::khmer:
    case Script::burmese:
    case Script::tibetan:
      return true;
    default:
      return false;
  }
}

const char* name_of(Script script) {
  constexpr std::array<const char*, kScripts> kNames = {"no script",     "Latin",
                                                        "Greek",         "Cyrillic",
                                                        "Armenian",      "Hebrew",
                                                        "Arabic",        "Devanagari",
                                                        "Bengali",       "Gurmukhi",
                                                        "Gujarati",      "Oriya",
                                                        "Tamil",         "Telugu",
                                                        "Kannada",       "Malayalam",
                                                        "Sinhala",       "Thai",
                                                        "Lao",           "Tibetan",
                                                        "Burmese",       "Georgian",
                                                        "Ethiopic",      "Khmer",
                                                        "Hangul",        "Chinese or Japanese",
                                                        "another script"};
  return kNames[static_cast<std::size_t>(script)];
}

}  // namespace heed::text
