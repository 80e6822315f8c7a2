#include "text/kept.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <utility>

#include "base/strings.h"
#include "text/characters.h"
#include "text/digits.h"
#include "text/kept_numbers.h"
#include "text/program_names.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

struct Pattern {
  bool KeepOptions::*kind;
  std::regex regex;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {&KeepOptions::placeholders,
       std::regex(
           "<\\w[^<>]*/>|<<\\w+>>|\\[\\[\\w+\\]\\]|__\\w+?__(?!\\w)|\\$t\\([^()]*\\)|"
           "<%(?:[^%]|%(?!>))*%>|\\\\\\{[^\\s{}]*\\}|\\$[A-Za-z@_]\\w*\\$(?!\\w)|"
           "%[A-Za-z][\\w.-]+%(?!\\w)|%<\\w+>(?:[-+0#']{0,5}\\d{0,9}(?:\\.\\d+)?[sdiufFeEgGxXoc])?|"
           "%(?:\\(\\w+\\))?(?:\\d+\\$)?[-+0#']{0,5}\\d{0,9}(?:\\.\\d+)?(?:hh?|ll?|[zjtL])?"
           "[sdiufFeEgGxXoc@](?!\\w)|%L?(?:n|\\d+)(?!\\w)")},
      {&KeepOptions::urls,
       std::regex(
           "(?:(?:https?|ftp|HTTPS?|FTP)://|mailto:|MAILTO:|www\\.|WWW\\.)"
           "(?:[^\\s<>\"(){}[\\]]|\\([^\\s<>\"()]*\\)|\\{[^\\s<>\"{}]*\\}|\\[[^\\s<>\"[\\]]*\\])*"
           "(?:[^\\s<>\"(){}[\\].,;:!?']|\\([^\\s<>\"()]*\\)|\\{[^\\s<>\"{}]*\\}|"
           "\\[[^\\s<>\"[\\]]*\\])")},
      {&KeepOptions::emails, std::regex("[\\w.+%-]+@[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]{2,}")}};
  return all;
}

/// Whether a conversion of printf() is near the doubled percent sign at `at`, which stands for one.
bool is_percent_of_format(std::string_view text, std::size_t at) {
  static const std::regex conversion(
      "%(?:\\(\\w+\\)|\\d+\\$)?[-+0#']{0,5}\\d{0,9}(?:\\.\\d+)?(?:hh?|ll?|[zjtL])?[sdiufFeEgGxXoc@"
      "]");
  constexpr std::size_t kNear = 100;
  if (!text.substr(at).starts_with("%%")) return false;
  const auto has_conversion = [&](std::string_view part) {
    return std::regex_search(part.begin(), part.end(), conversion);
  };
  return has_conversion(text.substr(at - std::min(at, kNear), std::min(at, kNear))) ||
         has_conversion(text.substr(at + 2, kNear));
}

constexpr std::size_t kLongest = 1000;  // bytes that are searched: std::regex recurses over them

/// The bytes of an address of which the first `bytes` were found in a text. It is read to its end
/// where it is longer than the bytes that were looked at, and ends before other text.
std::size_t bytes_of_address(std::string_view text, std::size_t bytes) {
  if (bytes + 8 > kLongest) {
    const std::size_t end = std::min(text.find_first_of(" \t\n\r\f\v<>\"()", bytes), text.size());
    bytes = without_marks(text.substr(0, end));
  }
  const std::size_t end = before_other_text(text.substr(0, bytes));
  return end < bytes ? without_marks(text.substr(0, end)) : bytes;
}

/// Returns the bytes of the braces that begin at `at`, with those inside of them; 0 where they do
/// not end. Quote marks of ICU (`'{'`) and Fluent (`"{"`) hide a brace.
std::size_t bytes_of_braces(std::string_view text, std::size_t at) {
  int64_t depth = 0;
  for (std::size_t i = at; i < std::min(text.size(), at + kLongest); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if ((text[i] == '\'' || text[i] == '"') && (next == '{' || next == '}') &&
        i + 2 < text.size() && text[i + 2] == text[i]) {
      i += 2;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1 - at;
    }
  }
  return 0;
}

/// Whether what stands in braces is a placeholder: a name or nothing, `{ name }`; of Fluent a
/// variable, term, function or literal, `{ $n -> ... }`, `{ -brand }`, `{ NUMBER($n) }`, `{ "x" }`;
/// of ICU a name with its format, `{n, plural, ...}`; of Django, Jinja, i18next and Handlebars
/// `{% if x %}`, `{# comment #}`, `{{ name }}`. Other words in braces are text.
bool is_placeholder_in_braces(std::string_view inside) {
  static const std::regex pattern(
      "\\s*[^\\s{}]*\\s*|%[\\s\\S]*%|#[\\s\\S]*#|\\{[^{}]*\\}|\\{\\{[^{}]*\\}\\}|"
      "\\s*(?:\\$[A-Za-z][\\w-]*|-[A-Za-z][\\w.-]*(?:\\([\\s\\S]*\\))?|"
      "[A-Z][A-Z0-9_-]*\\([\\s\\S]*\\)|\"[^\"]*\")\\s*(?:->[\\s\\S]*)?|"
      "\\s*[\\w.-]+\\s*,\\s*(?:number|date|time|duration|list|ordinal|spellout|choice|plural|"
      "select|selectordinal)\\s*(?:,[\\s\\S]*)?");
  return std::regex_match(inside.begin(), inside.end(), pattern);
}

/// Returns the bytes of the placeholder in braces, with the sign before them; 0 for none.
std::size_t bytes_of_placeholder(std::string_view text, std::size_t at) {
  const std::size_t sign = std::string_view("$%#").find(text[at]) != std::string_view::npos;
  if (at + sign >= text.size() || text[at + sign] != '{') return 0;
  const std::size_t bytes = bytes_of_braces(text, at + sign);
  if (bytes == 0) return 0;
  return is_placeholder_in_braces(text.substr(at + sign + 1, bytes - 2)) ? sign + bytes : 0;
}

constexpr std::string_view kOfSchemes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Returns the bytes of an address with any scheme, such as `git+ssh://host/path`, that begins at
/// `at`; 0 for none.
std::size_t bytes_of_other_address(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestScheme = 20;
  const std::string_view rest = text.substr(at, kLongest);
  std::size_t end = 0;
  while (end < rest.size() && end <= kLongestScheme &&
         (is_one_of(rest[end], kOfSchemes) || (end > 0 && is_one_of(rest[end], "+-."))))
    ++end;
  if (end < 2 || !rest.substr(end).starts_with("://")) return 0;
  const std::size_t first = end + 3;
  for (end = first;;) {
    end = std::min(rest.find_first_of(" \t\r\n<>\"(){}[]\\`", end), rest.size());
    // Names in brackets are to be replaced: `http://<user>@a.org`, `git://a.org/{name}/b`.
    const std::size_t name = after_run(rest, std::string(kOfSchemes) + "_-", end + 1);
    const std::string_view brackets = end < rest.size() && name < rest.size() ? "<>{}" : "";
    const std::size_t open = end < rest.size() ? brackets.find(rest[end]) : brackets.npos;
    if (open == brackets.npos || open % 2 == 1 || name == end + 1 ||
        rest[name] != brackets[open + 1])
      break;
    end = name + 1;
  }
  const std::size_t bytes = bytes_of_address(text.substr(at), without_marks(rest.substr(0, end)));
  return bytes > first ? bytes : 0;
}

/// Returns the bytes of a word with signs as an address writes them that begins at `at`,
/// `%23Weblate`; 0 for none.
std::size_t bytes_of_percent_signs(std::string_view text, std::size_t at) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  const auto is_sign = [&](std::size_t i) {
    return i + 2 < text.size() && text[i] == '%' && is_one_of(text[i + 1], kHexadecimal) &&
           is_one_of(text[i + 2], kHexadecimal);
  };
  if (!is_sign(at)) return 0;
  const std::size_t end =
      after_run(text.substr(0, at + kLongest), std::string(kOfSchemes) + "%_-", at);
  // "%20 of"; some languages write "%20lik" for 20 percent.
  const bool is_word = (at + 3 < end && text[at + 3] >= 'A' && text[at + 3] <= 'Z') ||
                       text.substr(at + 3, end - at - 3).find('%') != text.npos;
  return is_word ? end - at : 0;
}

}  // namespace

bool has_text_inside(std::string_view placeholder) {
  static const std::regex pattern(
      "\\{\\s*(?:[\\w.-]+\\s*,\\s*(?:choice|plural|select|selectordinal)\\b|\\$[\\w-]+\\s*->)"
      "[\\s\\S]*");
  return placeholder.starts_with('{') &&
         std::regex_search(placeholder.begin(),
                           placeholder.begin() + std::ssize(placeholder.substr(0, kLongest)),
                           pattern, std::regex_constants::match_continuous);
}

std::size_t before_other_text(std::string_view address) {
  Script last = Script::none;  // of the letters and digits that the next one follows directly
  for (std::size_t at = 0; at < address.size();) {
    const CodePoint point = code_point_at(address, at);
    const Script script = script_of(point.value);
    if (point.value >= 0x80 && (is_punctuation(point.value) || is_space(point.value))) return at;
    if (script != Script::none && last != Script::none && script != last) return at;
    if (script != Script::none)
      last = script;
    else if (point.value < 0x80 && std::isdigit(static_cast<int>(point.value)) == 0)
      last = Script::none;
    else if (last == Script::none)
      last = Script::latin;
    at += point.bytes;
  }
  return address.size();
}

std::size_t without_marks(std::string_view address) {
  return address.find_last_not_of(".,;:!?'") + 1;
}

KeepOptions kept_of(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) { return std::ranges::count(names, name) > 0; };
  return {.urls = has("urls"),
          .emails = has("emails"),
          .numbers = has("numbers"),
          .placeholders = has("placeholders")};
}

KeptItem kept_item_at(std::string_view text, std::size_t at, const KeepOptions& kept) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0; };
  const bool is_digit = digit_value(code_point_at(text, at).value).has_value();
  const bool may_begin = is_of_name(text[at]) || is_digit ||
                         std::string_view("{[$%#<.+_-\\").find(text[at]) != std::string_view::npos;
  const bool may_begin_name = std::string_view("/~@*").find(text[at]) != std::string_view::npos;
  if (!may_begin && !(kept.names && may_begin_name)) return {};
  if (kept.placeholders && is_percent_of_format(text, at)) return {.bytes = 2};
  const bool is_after_word = is_in_word(value_before(text, at));
  if (is_after_word && (is_of_name(text[at]) || is_digit || text[at] == '%' || text[at] == '_'))
    return {};  // "5%"
  // Inside a word no address of e-mail is looked for: it was looked for at the word's beginning,
  // and a search at each character would take long.
  const char before = at > 0 ? text[at - 1] : ' ';
  const bool is_in_address =
      is_of_name(before) || std::string_view("._+%-").find(before) != std::string_view::npos;
  if (kept.placeholders)
    if (const std::size_t bytes = bytes_of_placeholder(text, at)) return {.bytes = bytes};
  const std::string_view rest = text.substr(at, kLongest);
  for (const Pattern& pattern : patterns()) {
    if (is_in_address && pattern.kind == &KeepOptions::emails) continue;
    std::match_results<std::string_view::const_iterator> found;
    if (!(kept.*pattern.kind) || !std::regex_search(rest.begin(), rest.end(), found, pattern.regex,
                                                    std::regex_constants::match_continuous))
      continue;
    const auto bytes = static_cast<std::size_t>(found.length());
    return {pattern.kind == &KeepOptions::urls ? bytes_of_address(text.substr(at), bytes) : bytes};
  }
  if (kept.names && (text[at] != '\\' || text.substr(at).starts_with("\\_"))) {
    for (const auto& bytes_of :
         {bytes_of_other_address, bytes_of_percent_signs, bytes_of_file, bytes_of_identifier})
      if (const std::size_t bytes = bytes_of(text, at)) return {.bytes = bytes};
  }
  if (!kept.numbers || (!is_digit && !is_of_name(text[at]))) return {};
  const std::size_t bytes = bytes_of_kept_number(text, at);
  if (bytes == 0) return {};
  return {bytes, !kept.taken.contains(std::string(text.substr(at, bytes)))};
}

std::map<std::string, int64_t, std::less<>> kept_items_in(std::string_view text,
                                                          const KeepOptions& kept) {
  std::map<std::string, int64_t, std::less<>> items;
  for (std::size_t at = 0; kept.any() && at < text.size();) {
    const std::size_t bytes = kept_item_at(text, at, kept).bytes;
    if (bytes > 0) ++items[std::string(text.substr(at, bytes))];
    at += std::max<std::size_t>(bytes, 1);
  }
  return items;
}

}  // namespace heed::text
