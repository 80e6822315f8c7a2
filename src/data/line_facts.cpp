#include "data/line_facts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/random.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

using text::Script;

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0;
  mix_in(hash, text.size());
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(8, text.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), std::min<std::size_t>(8, text.size()));
    mix_in(hash, word);
  }
  return hash;
}

// The functions below recognise UTF-8 that was read as Windows-1252 or Latin-1: "fÃ¼r", "â€œ",
// "Ð¡Ð¾", "dziÄ™kujÄ™".

bool is_continuation(char32_t c) {
  static constexpr std::array<char32_t, 27> kWindows = {
      0x152,  0x153,  0x160,  0x161,  0x178,  0x17D,  0x17E,  0x192,  0x2C6,
      0x2DC,  0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E,
      0x2020, 0x2021, 0x2022, 0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};
  return (c >= 0x80 && c <= 0xBF) || std::ranges::binary_search(kWindows, c);
}

/// Whether the character is one that Windows-1252 becomes when it is read as Latin-1: quotation
/// marks, dashes, the euro sign. NEL does not count, because it ends lines.
bool is_control(char32_t c) {
  return c >= 0x80 && c <= 0x9F && c != 0x85;
}

bool is_quote(char32_t c) {
  return c == 0xAB || c == 0xBB || (c >= 0x2018 && c <= 0x201E) || c == 0x2039 || c == 0x203A;
}

bool is_ascii_letter(char32_t c) {
  return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/// Whether the letter may end a word in capitals: quotation marks may follow a capital with an
/// accent, as in "AMANHÃ”".
bool ends_a_word_in_capitals(char32_t before) {
  const std::string letter = text::encode_utf8(std::u32string(1, before));
  return text::lower_case(letter) != letter;
}

/// Whether the character is a blank, a dash or dots: these may follow a word of one capital, as
/// "Å…" in Norwegian.
bool is_dash_or_dots(char32_t c) {
  return c == 0xA0 || c == 0x2013 || c == 0x2014 || c == 0x2026;
}

bool has_mojibake(std::string_view line) {
  const std::u32string text = text::decode_utf8(line);
  int likely = 0;  // Greek and Cyrillic come several letters in a row; Polish has several in a line
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const char32_t lead = text[i], next = text[i + 1];
    const char32_t before = i > 0 ? text[i - 1] : U' ';
    const char32_t after = i + 2 < text.size() ? text[i + 2] : U' ';
    if (lead == 0xE2 && (next == 0x20AC || next == 0x80 || (next == 0x201A && after == 0xAC)))
      return true;  // quotation marks and dashes, the euro sign
    if (!is_continuation(next) || ends_a_word_in_capitals(before)) continue;
    if (is_quote(next) && !is_ascii_letter(before) && !is_ascii_letter(after)) continue;
    if (lead == 0xC2 || lead == 0xC3) return true;
    const bool greek_or_cyrillic = lead >= 0xCE && lead <= 0xD1;
    const bool central_european = (lead == 0xC4 || lead == 0xC5) && !is_dash_or_dots(next);
    if ((greek_or_cyrillic || central_european) && ++likely == 2) return true;
  }
  return false;
}

bool may_begin_mojibake(char32_t c) {
  return c >= 0xC2 && c <= 0xE2 && (c <= 0xC5 || (c >= 0xCE && c <= 0xD1) || c == 0xE2);
}

class Letters {
 public:
  void add_ascii(unsigned char c) { ascii_ += is_ascii_letter(c); }
  void add(char32_t c) {
    ++counts_[static_cast<std::size_t>(text::script_of(c))];
    beyond_ascii_ = true;
  }
  Script most() {
    if (!beyond_ascii_) return ascii_ > 0 ? Script::latin : Script::none;
    counts_[static_cast<std::size_t>(Script::latin)] += ascii_;
    int all = 0, best = 1;
    for (int i = 1; i < text::kScripts; ++i) {
      all += counts_[i];
      if (counts_[i] > counts_[best]) best = i;
    }
    return 2 * counts_[best] > all ? static_cast<Script>(best) : Script::none;
  }

 private:
  std::array<int, text::kScripts> counts_{};
  int ascii_ = 0;
  bool beyond_ascii_ = false;
};

}  // namespace

LineFacts facts_of(std::string_view line) {
  LineFacts facts;
  Letters letters;
  std::string tidy(line.size(), '\0');
  char* out = tidy.data();
  bool after_blank = true, look_again = false;  // blanks at the beginning are dropped
  for (std::size_t at = 0; at < line.size();) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte < 0x80) {  // without a branch or call, because most characters are ASCII
      const bool blank = byte <= 0x20 || byte == 0x7F;
      *out = blank ? ' ' : line[at];
      out += !(blank && after_blank);
      after_blank = blank;
      facts.characters += !blank;
      letters.add_ascii(byte);
      ++at;
      continue;
    }
    const text::CodePoint point = text::code_point_at(line, at);
    if (text::is_space(point.value)) {
      facts.damaged = facts.damaged || is_control(point.value);
      *out = ' ';
      out += !after_blank;
      after_blank = true;
    } else if (!text::is_invisible(point.value)) {
      out = std::copy_n(line.data() + at, point.bytes, out);
      after_blank = false;
      ++facts.characters;
      letters.add(point.value);
      facts.damaged = facts.damaged || point.value == text::kReplacement;
      look_again = look_again || may_begin_mojibake(point.value);
    }
    at += point.bytes;
  }
  if (after_blank && out != tidy.data()) --out;
  if (look_again && !facts.damaged) facts.damaged = has_mojibake(line);
  facts.hash = hash_of({tidy.data(), out});
  facts.script = letters.most();
  return facts;
}

uint64_t PairFacts::hash() const {
  return mix({source.hash, target.hash});
}

}  // namespace heed::data
