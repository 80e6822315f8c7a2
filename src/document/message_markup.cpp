#include "document/message_markup.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/strings.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Whether the character is a mark of punctuation and none of a tag: models know it, and set it.
bool is_letter_mark(char32_t c) {
  constexpr std::u32string_view kMarks = U"\u00A1\u00AB\u00BB\u00BF\u2026\u2032\u2033\u2039\u203A";
  return (c > U' ' && c < U'\u007F' && c != U'<' && c != U'>') ||
         (c >= U'\u2010' && c <= U'\u201F') || kMarks.find(c) != kMarks.npos;
}

/// Bytes of code in backticks, `x` or ``x``, that begins at `at`, or 0. A single backtick may be an
/// opening quote, as in GNU's messages: `x'.
std::size_t bytes_of_message_code(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 200;
  const std::size_t marks = after_run(text, "`", at) - at;
  const std::string_view near = text.substr(at, kLongest);
  const std::size_t end = near.find(std::string(marks, '`'), marks);
  if (marks > 2 || end == near.npos || end == marks) return 0;
  const std::string_view inside = near.substr(marks, end - marks);
  if (is_one_of('\n', inside) || is_one_of(inside.front(), " '") || inside.back() == ' ') return 0;
  return end + marks;
}

/// Bytes of escapes that a text is about, such as `\r\n`, which begin at `at` and are no part of a
/// word or path; 0: there are none.
std::size_t bytes_of_shown_escapes(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end + 1 < text.size() && text[end] == '\\' && is_one_of(text[end + 1], "nrt")) end += 2;
  const char32_t before = text::value_before(text, at),
                 after = end < text.size() ? text::code_point_at(text, end).value : U' ';
  const bool is_part = text::is_in_word(before) || text::is_in_word(after) || before == U'\\' ||
                       before == U':' || after == U'\\' || after == U'_';
  return is_part ? 0 : end - at;
}

/// Bytes of "](address)" at `at`, or 0. An address with a placeholder such as %s, whose order is
/// that of the text, is none.
std::size_t bytes_of_link_end(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 2000;
  const std::string_view rest = text.substr(at, kLongest);
  if (!rest.starts_with("](")) return 0;
  const std::size_t end = rest.find(')');
  if (end == rest.npos || end == 2) return 0;
  const std::string_view address = rest.substr(2, end - 2);
  const bool is_address = address.find_first_of(" \t\r\n%\"<>[]") == address.npos &&
                          address.find_first_of("/:#.?") != address.npos;
  return is_address || address == "inflect: true" ? end + 1 : 0;
}

/// The marks around a text of Markdown.
struct Around {
  std::size_t opening = 0;  // bytes of the marks at its beginning; 0: there are none
  ByteRange closing = {};
};

/// The marks of Markdown that begin at `at`.
Around marks_at(std::string_view text, std::size_t at) {
  Around found;
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("**")) {
    const std::size_t end = rest.find("**", 2);
    if (end == rest.npos || end == 2 || is_one_of(rest[2], " \t\r\n*") ||
        is_one_of(rest[end - 1], " \t\r\n"))
      return found;
    return {2, {at + end, at + end + 2}};
  }
  const std::size_t opening = rest.starts_with("^[") ? 2 : 1;
  const std::size_t end = rest.find_first_of("[]", opening);
  if (end == rest.npos || end == opening || !text::has_words(rest.substr(opening, end - opening)))
    return found;
  const std::size_t bytes = bytes_of_link_end(text, at + end);
  if (bytes > 0) found = {opening, {at + end, at + end + bytes}};
  return found;
}

}  // namespace

std::vector<Token> message_markup(std::string_view text) {
  std::vector<Token> out;
  std::vector<ByteRange> open;  // the ends of marks of Markdown, the innermost last
  for (std::size_t at = 0; at < text.size();) {
    std::size_t bytes = 0;
    const auto add = [&](Token token) {
      token.from = at;
      token.to = at + bytes;
      out.push_back(std::move(token));
    };
    const char c = text[at];
    if (!open.empty() && open.back().from == at) {
      bytes = open.back().to - at;
      add({.syntax = Token::Syntax::closing, .name = c == ']' ? "[" : "**", .is_link = c == ']'});
      open.pop_back();
    } else if (c == '\\') {
      bytes = bytes_of_shown_escapes(text, at);
      if (bytes > 0) add({.syntax = Token::Syntax::whole, .is_placeholder = true});
    } else if (c == '`') {
      bytes = bytes_of_message_code(text, at);
      if (bytes > 0) add({.syntax = Token::Syntax::whole});
    } else if (c == '&') {
      if (const auto reference = text::reference_at(text, at); reference && reference->character) {
        const bool is_character =
            text::is_letter(*reference->character) || is_letter_mark(*reference->character);
        bytes = reference->bytes;
        add({.syntax = is_character ? Token::Syntax::text : Token::Syntax::whole,
             .text = is_character ? reference->text() : ""});
      }
    } else if (c == '*' || c == '[' || text.substr(at).starts_with("^[")) {
      const Around marks = marks_at(text, at);
      if (marks.opening > 0 && (open.empty() || marks.closing.to <= open.back().from)) {
        bytes = marks.opening;
        add({.syntax = Token::Syntax::opening, .name = c == '*' ? "**" : "[", .is_link = c != '*'});
        open.push_back(marks.closing);
      }
    }
    // Marks inside of something whole are a part of it.
    at += std::max<std::size_t>(bytes, 1);
    while (!open.empty() && open.back().from < at) open.pop_back();
  }
  return out;
}

}  // namespace heed::document
