#include "document/placeholders.h"

#include <algorithm>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "text/kept.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_character(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\0';
}

bool is_after_word(std::string_view text, std::size_t at) {
  return text::is_in_word(text::value_before(text, at));
}

/// Bytes of a name between signs of percent, as Symfony has them: `%count%`; 0: there is none.
std::size_t symfony_name(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (is_name_character(byte_at(text, end)) || byte_at(text, end) == '.') ++end;
  constexpr std::size_t kLeast = 4;  // "%d%s" is none
  const bool is_name = end + 1 - at >= kLeast && byte_at(text, end) == '%' &&
                       is_letter(text[at + 1]) && !is_name_character(byte_at(text, end + 1));
  return is_name ? end + 1 - at : 0;
}

/// A placeholder of printf() that stands apart from words, or a letter of strftime or the like.
std::size_t likely_percent(std::string_view text, std::size_t at) {
  if (text[at] != '%' || byte_at(text, at + 1) == '%') return 0;
  const char before = at > 0 ? text[at - 1] : ' ';
  if (is_one_of(before, kDigits) || before == '%') return 0;  // "5%", "%%s"
  const char next = byte_at(text, at + 1);
  if (const std::size_t name = symfony_name(text, at); name > 0) return name;
  const std::size_t bytes = percent_placeholder(text, at);
  const bool is_named =
      next == '(' || next == '{' || next == '<' || text.substr(at, bytes).find('$') != text.npos;
  if (bytes > 0 && is_named) return bytes;
  // "%s" directly after a word is one, "%20c" in an address is none.
  const bool is_short = bytes == 2 && is_one_of(next, "sdiu@");
  if (bytes > 0 && (is_short || !is_after_word(text, at)) &&
      !is_name_character(byte_at(text, at + bytes)))
    return bytes;
  const std::size_t letter = at + 1 + (is_one_of(next, "-_^#EO") ? 1 : 0);
  const bool is_date = is_letter(byte_at(text, letter)) &&
                       !is_name_character(byte_at(text, letter + 1)) &&
                       (before != ' ' || at < 2 || !is_one_of(text[at - 2], kDigits));
  const bool is_after_letter_of_date = at > 1 && (text[at - 2] == '%' || before == '%');
  if (is_date && (!is_after_word(text, at) || is_after_letter_of_date)) return letter + 1 - at;
  return 0;
}

/// Names in brackets of other kinds, and those that `--keep placeholders` finds.
std::size_t likely_brackets(std::string_view text, std::size_t at) {
  const char c = text[at], next = byte_at(text, at + 1);
  const bool may_be = c == '{' || (c == '$' && (next == '{' || is_letter(next))) ||
                      (c == '#' && next == '{') || (c == '[' && next == '[') ||
                      (c == '<' && (next == '<' || next == '%')) || (c == '_' && next == '_') ||
                      (c == '\\' && next == '{');
  if (!may_be) return 0;
  const std::size_t bytes = text::kept_item_at(text, at, {.placeholders = true}).bytes;
  return bytes > 0 && text::has_text_inside(text.substr(at, bytes)) ? 0 : bytes;
}

/// Whether an order of arguments says what the placeholder is for: %s, {}, and not %(name)s, %1$s,
/// %1 or {0}.
bool is_known_by_order(std::string_view item) {
  if (item.starts_with('{')) return item == "{}" || item.starts_with("{:");
  return item.starts_with('%') && item.find_first_of("($<{") == item.npos &&
         !is_one_of(item.back(), kDigits) && item != "%n";
}

}  // namespace

std::size_t percent_placeholder(std::string_view text, std::size_t at) {
  if (text[at] != '%') return 0;
  constexpr std::size_t kLongest = 200;
  text = text.substr(0, at + kLongest);
  std::size_t end = at + 1;
  const auto skip = [&](std::string_view characters) { end = after_run(text, characters, end); };
  const auto next = [&] { return byte_at(text, end); };
  if (next() == '(' || next() == '{' || next() == '<') {  // %(name)s, %{name}, %<PRId64>
    const char open = next();
    const std::size_t close = text.find(open == '(' ? ')' : open == '{' ? '}' : '>', end);
    if (close == text.npos || text.substr(end, close - end).find_first_of(" \n") != text.npos)
      return 0;
    end = close + 1;
    if (open == '{') return end - at;
    if (open == '<' && text.substr(at).starts_with("%<PRI")) return end - at;
  }
  const std::size_t digits = end;
  skip(kDigits);
  if (next() == '$' && end > digits) ++end;  // the number of an argument
  const bool has_number = end > digits;
  const std::size_t number = end;
  if (next() == '#' && byte_at(text, end + 1) == '@') {  // Apple's %#@name@, with plural forms
    const std::size_t close = text.find('@', end + 2);
    if (close != text.npos && text.substr(end, close - end).find(' ') == text.npos)
      return close + 1 - at;
  }
  skip("-+#0'I ");
  if (end > number && text[end - 1] == ' ') end = number;  // "5 % of": a percent sign
  skip("0123456789*$.");
  skip("hlqjztLw");
  constexpr std::string_view kConversions = "diouxXeEfFgGaAcCsSpnm@rvTtUbBkK";
  if (is_one_of(next(), kConversions) && next() != '\0') return end + 1 - at;
  return has_number ? number - at : 0;  // Qt's and KDE's %1
}

std::size_t brace_placeholder(std::string_view text, std::size_t at) {
  if (text[at] != '{') return 0;
  constexpr std::size_t kLongest = 200;
  const std::size_t end = text.substr(0, at + kLongest).find_first_of("}{\n", at + 1);
  return end == text.npos || text[end] != '}' ? 0 : end + 1 - at;
}

std::size_t any_placeholder(std::string_view text, std::size_t at) {
  return std::max(percent_placeholder(text, at), brace_placeholder(text, at));
}

std::size_t likely_percent_placeholder(std::string_view text, std::size_t at) {
  return text[at] == '%' ? likely_percent(text, at) : 0;
}

std::size_t likely_brace_placeholder(std::string_view text, std::size_t at) {
  return text[at] == '%' ? 0 : likely_brackets(text, at);
}

std::size_t likely_placeholder(std::string_view text, std::size_t at) {
  return text[at] == '%' ? likely_percent(text, at) : likely_brackets(text, at);
}

std::size_t drupal_placeholder(std::string_view text, std::size_t at) {
  if (is_one_of(text[at], "@%:!") && !is_after_word(text, at)) {
    std::size_t end = at + 1;
    while (is_name_character(byte_at(text, end)) ||
           (byte_at(text, end) == '-' && is_name_character(byte_at(text, end + 1))))
      ++end;
    if (end > at + 1 && !is_one_of(text[at + 1], kDigits)) return end - at;
  }
  return likely_placeholder(text, at);
}

std::size_t mobile_placeholder(std::string_view text, std::size_t at) {
  if (text[at] == '\\' && is_one_of(byte_at(text, at + 1), "nt") && at + 1 < text.size()) return 2;
  return likely_placeholder(text, at);
}

void keep_order(std::string_view bytes, std::vector<Token>& tokens) {
  const auto has_order = [&](const Token& token) {
    return token.is_placeholder && is_known_by_order(bytes.substr(token.from, token.bytes()));
  };
  if (std::ranges::count_if(tokens, has_order) < 2) return;
  for (Token& token : tokens) token.in_order = has_order(token);
}

}  // namespace heed::document
