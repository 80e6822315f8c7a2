#include "text/script.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace heed::text {
namespace {

struct Range {
  char32_t first, last;
};

enum Blanks { kBlanks, kNoBlanks };  // between words

struct Letters {
  const char* name;
  std::initializer_list<Range> ranges;  // blocks of Unicode 15, with the script's combining marks
  Blanks blanks = kBlanks;
};

/// By Script.
constexpr Letters kLetters[kScripts] = {
    {"no script", {}},
    {"Latin",
     {{0x41, 0x5A},
      {0x61, 0x7A},
      {0xAA, 0xAA},
      {0xBA, 0xBA},
      {0xC0, 0xD6},
      {0xD8, 0xF6},
      {0xF8, 0x2AF},
      {0x1E00, 0x1EFF},
      {0xFB00, 0xFB06},
      {0xFF21, 0xFF3A},
      {0xFF41, 0xFF5A}}},
    {"Greek",
     {{0x370, 0x373},
      {0x376, 0x377},
      {0x37B, 0x37D},
      {0x37F, 0x37F},
      {0x386, 0x386},
      {0x388, 0x3FF},
      {0x1F00, 0x1FFE}}},
    {"Cyrillic", {{0x400, 0x52F}}},
    {"Armenian", {{0x531, 0x556}, {0x561, 0x587}}},
    {"Hebrew", {{0x591, 0x5F2}, {0xFB1D, 0xFB4F}}},
    {"Arabic",
     {{0x620, 0x65F},
      {0x66E, 0x6D3},
      {0x6D5, 0x6EF},
      {0x6FA, 0x6FF},
      {0x750, 0x77F},
      {0x8A0, 0x8FF},
      {0xFB50, 0xFDFF},
      {0xFE70, 0xFEFC}}},
    {"Devanagari", {{0x900, 0x963}, {0x971, 0x97F}}},
    {"Bengali", {{0x980, 0x9E3}}},
    {"Gurmukhi", {{0xA01, 0xA5E}, {0xA70, 0xA76}}},
    {"Gujarati", {{0xA81, 0xAE3}}},
    {"Oriya", {{0xB01, 0xB63}}},
    {"Tamil", {{0xB82, 0xBD7}}},
    {"Telugu", {{0xC00, 0xC63}}},
    {"Kannada", {{0xC80, 0xCE3}}},
    {"Malayalam", {{0xD00, 0xD63}}},
    {"Sinhala", {{0xD81, 0xDF3}}},
    {"Thai", {{0xE01, 0xE3A}, {0xE40, 0xE4E}}, kNoBlanks},
    {"Lao", {{0xE81, 0xECD}, {0xEDC, 0xEDF}}, kNoBlanks},
    {"Tibetan", {{0xF40, 0xFBC}}, kNoBlanks},
    {"Burmese", {{0x1000, 0x103F}, {0x1050, 0x108F}}, kNoBlanks},
    {"Georgian", {{0x10A0, 0x10FF}, {0x1C90, 0x1CBF}}},
    {"Ethiopic", {{0x1200, 0x135A}}},
    {"Khmer", {{0x1780, 0x17D3}}, kNoBlanks},
    {"Hangul", {{0x1100, 0x11FF}, {0x3131, 0x318E}, {0xAC00, 0xD7A3}}},
    {"Chinese or Japanese",
     {{0x3041, 0x309F},
      {0x30A1, 0x30FF},
      {0x31F0, 0x31FF},
      {0x3400, 0x4DBF},
      {0x4E00, 0x9FFF},
      {0xF900, 0xFAFF},
      {0xFF66, 0xFF9F},
      {0x20000, 0x323AF}},
     kNoBlanks},
    {"another script",
     {{0x710, 0x74F},
      {0x780, 0x7B1},
      {0x7CA, 0x7F5},
      {0x13A0, 0x13FD},
      {0x1401, 0x166C},
      {0x1820, 0x18AA},
      {0x2D30, 0x2D7F}}},
};

struct Block : Range {
  Script script;
};

constexpr std::size_t count_blocks() {
  std::size_t count = 0;
  for (const Letters& letters : kLetters) count += letters.ranges.size();
  return count;
}

/// Those of all scripts in the order of their characters.
constexpr auto kBlocks = [] {
  std::array<Block, count_blocks()> all{};
  std::size_t at = 0;
  for (int script = 0; script < kScripts; ++script)
    for (const Range& range : kLetters[script].ranges)
      all[at++] = {range, static_cast<Script>(script)};
  std::ranges::sort(all, {}, &Block::first);
  return all;
}();

constexpr bool overlap(const Block& a, const Block& b) {
  return b.first <= a.last;
}
static_assert(std::ranges::adjacent_find(kBlocks, overlap) == kBlocks.end());

}  // namespace

Script script_of(char32_t c) {
  const auto block = std::ranges::lower_bound(kBlocks, c, {}, &Block::last);
  return block != kBlocks.end() && c >= block->first ? block->script : Script::none;
}

bool has_no_blanks(Script script) {
  return kLetters[static_cast<std::size_t>(script)].blanks == kNoBlanks;
}

const char* name_of(Script script) {
  return kLetters[static_cast<std::size_t>(script)].name;
}

}  // namespace heed::text
