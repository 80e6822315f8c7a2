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
       std::regex("<\\w[^<>]*/>|<<\\w+>>|\\[\\[\\w+\\]\\]|__\\w+?__(?!\\w)|\\$t\\([^()]*\\)|"
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

constexpr std::string_view kLettersAndDigits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool is_letter_or_digit_of_ascii(char c) {
  return kLettersAndDigits.find(c) != kLettersAndDigits.npos;
}

/// Whether `name` is that of a file: it ends in a point and one of the usual endings, all small or
/// all capital. Endings of one letter need a longer name, for German abbreviates "das heißt" so.
bool is_name_of_file(std::string_view name) {
  static const WordSet endings = word_set(
      "apk avi bak bash bat bib bin bmp bz2 c cc cfg cmake cmd conf cpp css csv cxx dat deb dll "
      "dmg "
      "doc docx dtd eps epub exe flac gif gz h hpp htm html ico ini ipynb iso jar java jpeg jpg js "
      "json jsonl jsx lock log lua md mdx mkv mov mp3 mp4 mpeg msi odp ods odt ogg otf pdf php png "
      "po pot ppt pptx ps1 psd py rar rb rpm rs rst rtf scss sh sql srt svg tar tex tgz tif tiff "
      "tmx toml ts tsv tsx ttf txt vtt vue wav webm webp whl wma wmv xcf xhtml xlf xliff xls xlsx "
      "xml xsd xsl xz yaml yml zip zst");
  const std::size_t point = name.rfind('.');
  if (point == name.npos || point == 0) return false;
  const std::string_view ending = name.substr(point + 1);
  const std::string small = ascii_lower(ending);
  const bool is_capital = std::ranges::none_of(ending, [](char c) { return c >= 'a' && c <= 'z'; });
  return endings.contains(small) && (small == ending || is_capital) &&
         (ending.size() > 1 || (point > 2 && name.find('.') == point));
}

/// Returns the bytes of an address with any scheme, such as `git+ssh://host/path`, that begins at
/// `at`; 0 for none.
std::size_t bytes_of_other_address(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestScheme = 20;
  const std::string_view rest = text.substr(at, kLongest);
  std::size_t end = 0;
  while (end < rest.size() && end <= kLongestScheme &&
         (is_letter_or_digit_of_ascii(rest[end]) || (end > 0 && is_one_of(rest[end], "+-."))))
    ++end;
  if (end < 2 || !rest.substr(end).starts_with("://")) return 0;
  const std::size_t first = end + 3;
  for (end = first;;) {
    end = std::min(rest.find_first_of(" \t\r\n<>\"(){}[]\\`", end), rest.size());
    // Names in brackets are to be replaced: `http://<user>@a.org`, `git://a.org/{name}/b`.
    const std::size_t name = after_run(rest, std::string(kLettersAndDigits) + "_-", end + 1);
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
      after_run(text.substr(0, at + kLongest), std::string(kLettersAndDigits) + "%_-", at);
  // "%20 of"; some languages write "%20lik" for 20 percent.
  const bool is_word = (at + 3 < end && text[at + 3] >= 'A' && text[at + 3] <= 'Z') ||
                       text.substr(at + 3, end - at - 3).find('%') != text.npos;
  return is_word ? end - at : 0;
}

/// Returns the bytes of the path or name of a file that begins at `at`; 0 for none. A path that
/// does not begin at a root or a folder ends in the name of a file, for "and/or" is none.
std::size_t bytes_of_file(std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  if (text[at] == '*' && !is_one_of(at + 1 < text.size() ? text[at + 1] : ' ', "*./")) return 0;
  if (is_letter_or_digit_of_ascii(before) ||
      std::string_view("_./\\:@~&=+%$#-").find(before) != std::string_view::npos)
    return 0;
  const std::string_view rest = text.substr(at, kLongest);
  const bool has_drive = rest.size() > 2 && is_letter_or_digit_of_ascii(rest[0]) &&
                         rest[1] == ':' && (rest[2] == '\\' || rest[2] == '/');
  const std::size_t first = has_drive ? 2 : 0;
  std::size_t end = first;
  while (end < rest.size() && (is_letter_or_digit_of_ascii(rest[end]) ||
                               std::string_view("_./\\~@+-*").find(rest[end]) != rest.npos))
    ++end;
  // Letters of a script with blanks beside it are a part of the name, which is none then.
  if (end < rest.size() && static_cast<unsigned char>(rest[end]) >= 0x80 &&
      is_in_word(code_point_at(rest, end).value) &&
      !has_no_blanks(script_of(code_point_at(rest, end).value)))
    return 0;
  end = rest.substr(0, end).find_last_of(kLettersAndDigits);
  if (end == rest.npos || end < first) return 0;
  std::string_view path = rest.substr(0, ++end);
  if (end < rest.size() && std::string_view("(@").find(rest[end]) != std::string_view::npos)
    return 0;  // a call, as of `a.sh(`
  const std::size_t last = path.find_last_of("/\\");
  const std::string_view name = last == path.npos ? path : path.substr(last + 1);
  if (is_name_of_file(name)) return end;
  const bool is_in_folder =
      path.starts_with("./") || path.starts_with("../") || path.starts_with("~/") || has_drive;
  const bool is_at_root =
      path[0] == '/' && path.size() > 1 && is_letter_or_digit_of_ascii(path[1]) && last > 0;
  return is_in_folder || is_at_root ? end : 0;
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
                         std::string_view("{[$%#<.+_-").find(text[at]) != std::string_view::npos;
  if (!may_begin && !(kept.files && is_one_of(text[at], "/~*"))) return {};
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
  if (kept.files)
    for (const auto& bytes_of : {bytes_of_other_address, bytes_of_percent_signs, bytes_of_file})
      if (const std::size_t bytes = bytes_of(text, at)) return {.bytes = bytes};
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
