#include "document/accelerators.h"

#include <algorithm>
#include <cstdint>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr int64_t kLabel = 7;  // words of a label, at most

/// The byte after a tag that begins at `at`; `at` where none does.
std::size_t after_tag(std::string_view text, std::size_t at) {
  if (text[at] != '<' || at + 1 == text.size()) return at;
  const char next = text[at + 1];
  if (next != '/' && !text::is_letter(static_cast<unsigned char>(next))) return at;
  constexpr std::size_t kLongest = 1000;
  const std::size_t bytes = text.substr(at, kLongest).find('>');
  return bytes == text.npos ? at : at + bytes + 1;
}

/// Whether "&" begins a reference such as `&nbsp;`.
bool is_reference(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#", at + 1);
  return end != text.npos && end > at + 1 && text[end] == ';';
}

bool is_capital(char32_t c) {
  return text::to_lower(c) != c;
}

/// Whether the word around a mark is a word of a label such as "E&xit" or "synta_x", and none like
/// "R&D", "file_name" or "a=1&b=2".
bool is_inside_of_label(std::string_view text, std::size_t at, char mark) {
  const char32_t before = text::value_before(text, at),
                 after = text::code_point_at(text, at + 1).value;
  if (!text::is_letter(before) || is_capital(after) || text::count_words(text) > kLabel)
    return false;
  constexpr std::string_view kAround = " \t\n()[]\"'.,:;!?/";
  const std::size_t from = text.find_last_of(kAround, at) + 1,  // 0 after npos
      to = std::min(text.find_first_of(kAround, at), text.size());
  constexpr std::size_t kSyllable = 2;
  return mark == '&' || is_capital(text::code_point_at(text, from).value) ||
         at - from <= kSyllable || to - at - 1 <= kSyllable;
}

/// Whether a keyboard has this letter.
bool is_typed(char32_t letter) {
  const text::Script script = text::script_of(letter);
  return script != text::Script::hangul && !text::has_no_blanks(script);
}

/// The byte after an escape or the end of a string and the beginning of the next one; `at` where
/// there is none.
std::size_t after_quoting(std::string_view written, std::size_t at) {
  if (written[at] == '\\') return std::min(at + 2, written.size());
  if (written[at] != '"') return at;
  const std::size_t next = written.find('"', at + 1);
  return next == written.npos ? written.size() : next + 1;
}

}  // namespace

std::optional<std::size_t> accelerator_in(std::string_view text, char mark,
                                          EscapedText::FindItem item) {
  std::optional<std::size_t> found;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t bytes = item ? item(text, at) : 0; bytes > 0) {
      at += bytes;
      continue;
    }
    if (const std::size_t end = after_tag(text, at); end > at) {
      at = end;
      continue;
    }
    if (text[at] != mark) {
      ++at;
      continue;
    }
    const std::size_t place = at++;
    if (at == text.size()) continue;
    const char32_t after = text::code_point_at(text, at).value;
    if (text[at] == mark) {  // "&&" is the character itself
      ++at;
      continue;
    }
    if (!text::is_letter(after) && (after < U'0' || after > U'9')) continue;
    if (mark == '&' && is_reference(text, place)) continue;
    if (found) return std::nullopt;
    const char32_t before = text::value_before(text, place);
    const bool begins = place == 0 || !text::is_in_word(before);
    if (begins ? before == U'=' || before == U'?' || before == U'/'
               : !is_inside_of_label(text, place, mark))
      return std::nullopt;
    found = place;
  }
  return found;
}

bool shows_accelerators(std::string_view text, char mark, EscapedText::FindItem item) {
  const auto at = accelerator_in(text, mark, item);
  if (!at || text::count_words(text) > kLabel) return false;
  if (*at > 0 && text[*at - 1] != ' ') return false;
  return mark != '_' || is_capital(text::code_point_at(text, *at + 1).value);
}

std::string with_accelerator(std::string_view written, const Accelerator& accelerator,
                             EscapedText::FindItem item) {
  const char32_t wanted = text::to_lower(text::code_point_at(accelerator.letter, 0).value);
  std::optional<std::size_t> best;
  int best_rank = 4;
  std::size_t end = 0;  // of the last character that is no mark of punctuation
  for (std::size_t at = 0; at < written.size();) {
    if (const std::size_t next = after_quoting(written, at); next > at) {
      at = next;
      continue;
    }
    const std::size_t bytes = item ? item(written, at) : 0;
    if (const std::size_t next = std::max(at + bytes, after_tag(written, at)); next > at) {
      at = end = next;
      continue;
    }
    if (written[at] == accelerator.mark) {
      if (accelerator.mark != '&' || !is_reference(written, at))
        return std::string(written);  // the model has written it
      at = end = written.find(';', at) + 1;
      continue;
    }
    const text::CodePoint point = text::code_point_at(written, at);
    const bool is_letter = text::is_letter(point.value);
    if (is_letter || (point.value >= U'0' && point.value <= U'9')) {
      const bool begins = !text::is_in_word(text::value_before(written, at));
      const int rank = text::to_lower(point.value) == wanted ? (begins ? 0 : 1)
                       : is_letter && is_typed(point.value)  ? (begins ? 2 : 3)
                                                             : 4;
      if (rank < best_rank) {
        best_rank = rank;
        best = at;
      }
    }
    at += point.bytes;
    if (!text::is_punctuation(point.value) && point.value != U' ' && point.value != U'\u2026')
      end = at;
  }
  std::string out(written);
  if (best) {
    out.insert(*best, 1, accelerator.mark);
  } else if (end > 0) {
    std::string letter = accelerator.letter;
    if (letter.size() == 1 && letter[0] >= 'a' && letter[0] <= 'z')
      letter[0] = static_cast<char>(letter[0] - 'a' + 'A');
    out.insert(end, '(' + std::string(1, accelerator.mark) + letter + ')');
  }
  return out;
}

}  // namespace heed::document
