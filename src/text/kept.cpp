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

/// Returns the bytes of the digits, of any script, that begin at `at`, and how many these are.
std::pair<std::size_t, std::size_t> digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at, count = 0;
  for (; end < text.size(); ++count) {
    const CodePoint point = code_point_at(text, end);
    if (!digit_value(point.value)) break;
    end += point.bytes;
  }
  return {end - at, count};
}

/// Signs between the groups of a number, the parts of a time, or those of a date.
bool joins_digits(char32_t c) {
  static constexpr std::u32string_view kSigns = U".,:/'\u2019\u066B\u066C\uFF0C\uFF0E\uFF0F\uFF1A";
  return kSigns.find(c) != kSigns.npos;
}

/// Returns the bytes of the time of day that ISO 8601 puts after a date, T10:30:00Z; 0 for none.
std::size_t bytes_of_time(std::string_view text) {
  static const std::regex time(R"(T\d\d:?\d\d(:?\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)");
  constexpr std::size_t kLongestTime = 40;
  text = text.substr(0, kLongestTime);
  std::match_results<std::string_view::const_iterator> found;
  if (!text.starts_with('T') || !std::regex_search(text.begin(), text.end(), found, time,
                                                   std::regex_constants::match_continuous))
    return 0;
  const auto bytes = static_cast<std::size_t>(found.length());
  return bytes < text.size() && is_in_word(code_point_at(text, bytes).value) ? 0 : bytes;
}

/// Whether the digit at `at` goes on with a number that began before it, in a word: the 2 of v1.2.
bool is_inside_number(std::string_view text, std::size_t at) {
  return at > 1 && std::string_view(".,:/'_").find(text[at - 1]) != std::string_view::npos &&
         text[at - 2] >= '0' && text[at - 2] <= '9';
}

/// Returns the bytes of the number, time or date that begins at `at`; 0 for none. A blank of any
/// kind is inside of a number if nothing but groups of three digits follow it; a hyphen is if it
/// divides year, month and day.
std::size_t bytes_of_number(std::string_view text, std::size_t at) {
  auto [bytes, count] = digits_at(text, at);
  if (bytes == 0) return 0;
  const auto sign_at = [&](std::size_t place) {
    return place < text.size() ? code_point_at(text, place) : CodePoint{U'\n', 1};
  };
  std::size_t end = at + bytes;
  const CodePoint sign = sign_at(end);
  if (sign.value == U'-' && count == 4) {
    const auto [month, month_digits] = digits_at(text, end + 1);
    const std::size_t after = end + 1 + month;
    if (month_digits == 2 && sign_at(after).value == U'-')
      if (const auto [day, day_digits] = digits_at(text, after + 1); day_digits == 2)
        return after + 1 + day + bytes_of_time(text.substr(after + 1 + day)) - at;
  }
  // A number of a telephone has three groups or more, and a range two.
  if (sign.value == U'-') {
    std::size_t last = end, groups = 1;
    while (sign_at(last).value == U'-') {
      const auto [group, digits] = digits_at(text, last + 1);
      if (digits < 2) break;
      last += 1 + group;
      ++groups;
    }
    if (groups > 2 && count >= 2 && !is_in_word(sign_at(last).value)) return last - at;
  }
  if (is_space(sign.value) && count <= 3) {
    for (;;) {
      const CodePoint blank = sign_at(end);
      if (!is_space(blank.value) || blank.value < U' ') break;
      const auto [group, digits] = digits_at(text, end + blank.bytes);
      if (digits != 3) break;
      end += blank.bytes + group;
    }
  }
  for (;;) {
    const CodePoint next = sign_at(end);
    const bool is_of_program = next.value == U'_';
    if (!joins_digits(next.value) && !is_of_program) break;
    const auto [group, digits] = digits_at(text, end + next.bytes);
    if (digits == 0 || (is_of_program && digits != 3)) break;
    end += next.bytes + group;
  }
  return end - at;
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
  const bool may_begin_name = std::string_view("/~@").find(text[at]) != std::string_view::npos;
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
    if (const std::size_t bytes = bytes_of_file(text, at)) return {.bytes = bytes};
    if (const std::size_t bytes = bytes_of_identifier(text, at)) return {.bytes = bytes};
  }
  if (!kept.numbers || !is_digit || is_inside_number(text, at)) return {};
  const std::size_t bytes = bytes_of_number(text, at);
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
