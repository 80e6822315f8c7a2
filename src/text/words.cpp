#include "text/words.h"

#include <algorithm>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr int64_t kLettersOfABlank = 10;  // words of more letters than this are rare

bool is_word_by_itself(char32_t c) {
  return c >= 0xE00 && has_no_blanks(script_of(c));
}

/// No character of these scripts has fewer than three bytes.
bool has_long_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xE0; });
}

/// Finds the words of a text whose characters come one by one.
class WordCutter {
 public:
  explicit WordCutter(bool together) : together_(together) {}

  /// Whether a word begins with this character; a blank has none.
  bool begins(char32_t c) {
    const State before = state_;
    // Nobody sees it between two letters.
    if (together_ && before != State::blank && is_invisible(c)) return false;
    state_ = is_space(c)                         ? State::blank
             : together_ && is_word_by_itself(c) ? State::letter
                                                 : State::run;
    return state_ == State::letter || (state_ == State::run && before != State::run);
  }
  bool in_blank() const { return state_ == State::blank; }

 private:
  enum class State { blank, letter, run };
  bool together_;
  State state_ = State::blank;
};

}  // namespace

WordSet word_set(std::string_view text) {
  const auto words = split_words(text);
  return {words.begin(), words.end()};
}

bool has_words(std::string_view text) {
  return any_code_point(text, [](const CodePoint& point) {
    return !is_space(point.value) && !is_punctuation(point.value);
  });
}

bool has_letters(std::string_view text) {
  return any_code_point(text, [](const CodePoint& point) { return is_letter(point.value); });
}

bool is_unsegmented(std::string_view text) {
  if (!has_long_characters(text)) return false;
  int64_t letters = 0, blanks = 0;
  bool after_letter = false, after_blank = false;
  each_code_point(text, [&](const CodePoint& point, std::string_view) {
    const bool blank = is_space(point.value), letter = is_word_by_itself(point.value);
    letters += letter;
    blanks += letter && after_letter && after_blank;
    if (!blank) after_letter = letter;
    after_blank = blank;
  });
  return letters > kLettersOfABlank * blanks;
}

bool are_unsegmented(std::span<const std::string> lines) {
  int64_t together = 0, all = 0;
  for (const std::string& line : lines) {
    if (is_blank(line)) continue;
    ++all;
    together += is_unsegmented(line);
  }
  return 2 * together > all;
}

std::vector<std::string> words_in(std::string_view text) {
  return words_of_parts({std::string(text)}).words;
}

int64_t count_words(std::string_view text) {
  WordCutter cutter(is_unsegmented(text));
  int64_t words = 0;
  each_code_point(
      text, [&](const CodePoint& point, std::string_view) { words += cutter.begins(point.value); });
  return words;
}

WordsOfParts words_of_parts(const std::vector<std::string>& parts) {
  std::string whole;
  for (const std::string& part : parts) whole += part;
  WordCutter cutter(is_unsegmented(whole));
  WordsOfParts out;
  for (const std::string& part : parts) {
    std::size_t first = 0, last = 0;
    bool found = false;
    each_code_point(part, [&](const CodePoint& point, std::string_view bytes) {
      if (cutter.begins(point.value)) out.words.emplace_back();
      if (cutter.in_blank()) return;
      out.words.back() += bytes;
      last = out.words.size() - 1;
      if (!found) first = last;
      found = true;
    });
    // A part of blanks belongs to the word after it, an empty part to the word around it.
    if (!found) first = last = out.words.size() - (cutter.in_blank() ? 0 : 1);
    out.first.push_back(first);
    out.last.push_back(last);
  }
  return out;
}

}  // namespace heed::text
