#include "text/program_names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

constexpr std::size_t kLongestName = 1000;  // bytes that are searched

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

/// Whether the words between `_` are forms of both genders, as in German "leser_innen", "der_die",
/// "jede_r" and Spanish "todo_a".
bool has_forms_of_genders(const std::vector<std::string>& words) {
  static const WordSet endings = word_set("a e em en er es in m n o r s se"),
                       articles = word_set(
                           "das dem den der des die ein eine einem einen einer eines er ihm ihn "
                           "ihr ihre sein seine sie");
  const auto is_of = [](const WordSet& set) {
    return [&set](const std::string& word) { return set.contains(word); };
  };
  return endings.contains(words.back()) || std::ranges::all_of(words, is_of(articles)) ||
         std::ranges::any_of(words,
                             [](const std::string& one) { return ascii_lower(one) == "innen"; });
}

/// Whether a word without points is a name by its `_`.
bool is_snake_case(std::string_view written) {
  std::string name(written);
  std::erase(name, '\\');
  const std::size_t first = name.find_first_not_of('_'), last = name.find_last_not_of('_');
  if (first == name.npos || name.find("___") != name.npos) return false;
  std::vector<std::string> words = split(name.substr(first, last + 1 - first), '_');
  std::erase(words, "");  // two in a row
  const auto has_any = [](const std::string& word, char from, char to) {
    return std::ranges::any_of(word, [&](char c) { return c >= from && c <= to; });
  };
  bool is_long = false;
  for (const std::string& word : words) {
    const bool has_small = has_any(word, 'a', 'z'), has_capital = has_any(word, 'A', 'Z');
    if (has_small && has_capital) return false;
    is_long |= word.size() > 2 && (has_small || has_capital);
  }
  const bool is_locale = words.size() == 2 && words[1].size() == 2 && has_any(words[0], 'a', 'z') &&
                         has_any(words[1], 'A', 'Z');
  return words.size() > 1 && (is_long || is_locale) && !has_forms_of_genders(words);
}

/// The byte after a word of letters, digits and `_`, which Markdown may have as `\_`.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  for (;;) {
    if (text.substr(at).starts_with("\\_"))
      at += 2;
    else if (at < text.size() && (is_letter_or_digit_of_ascii(text[at]) || text[at] == '_'))
      ++at;
    else
      return at;
  }
}

/// Whether a letter of a script with blanks follows directly: then it is another word.
bool has_letter_after(std::string_view text, std::size_t end) {
  if (end >= text.size() || static_cast<unsigned char>(text[end]) < 0x80) return false;
  const char32_t next = code_point_at(text, end).value;
  return is_in_word(next) && !has_no_blanks(script_of(next));
}

/// Bytes of the point, slash or colons at `at` that another word of a name follows; 0: none does.
std::size_t bytes_of_joint(std::string_view text, std::size_t at) {
  const std::size_t bytes = text.substr(at).starts_with("::") ? 2 : 1;
  if (at >= text.size() || (text[at] != '.' && text[at] != '/' && bytes == 1)) return 0;
  const std::string_view next = text.substr(std::min(text.size(), at + bytes));
  const bool is_word =
      !next.empty() && is_letter_or_digit_of_ascii(next[0]) && (next[0] < '0' || next[0] > '9');
  return is_word || next.starts_with('_') || next.starts_with("\\_") ? bytes : 0;
}

/// Bytes of the parentheses of a call at `at`, with what is in them and has no blank; 0: there are
/// none.
std::size_t bytes_of_call(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t end = at; end < text.size() && text[end] > ' '; ++end) {
    if (text[end] == '(') ++depth;
    if (depth == 0) return 0;
    if (text[end] == ')' && --depth == 0) return end + 1 - at;
  }
  return 0;
}

/// Whether the word at `at` goes on with a name that began before it.
bool is_inside_name(std::string_view text, std::size_t at) {
  const auto is_of_name = [&](std::size_t back) {
    return at >= back && (is_letter_or_digit_of_ascii(text[at - back]) || text[at - back] == '_');
  };
  if (at == 0) return false;
  std::size_t first = at;
  while (first > 0 && text[first - 1] == '_') --first;
  switch (text[at - 1]) {
    case '\\':
      return true;
    case '_':
      return is_of_name(at - first + 1) || (first > 0 && text[first - 1] == '\\');
    case '.':
    case '/':
      return is_of_name(2);
    case ':':
      return at > 2 && text[at - 2] == ':' && is_of_name(3);
    default:
      return is_of_name(1);
  }
}

}  // namespace

std::size_t bytes_of_file(std::string_view text, std::size_t at) {
  if (text[at] == '*' && !is_one_of(at + 1 < text.size() ? text[at + 1] : ' ', "*./")) return 0;
  const char before = at > 0 ? text[at - 1] : ' ';
  if (is_letter_or_digit_of_ascii(before) ||
      std::string_view("_./\\:@~&=+%$#-").find(before) != std::string_view::npos)
    return 0;
  const std::string_view rest = text.substr(at, kLongestName);
  const bool has_drive = rest.size() > 2 && is_letter_or_digit_of_ascii(rest[0]) &&
                         rest[1] == ':' && (rest[2] == '\\' || rest[2] == '/');
  const std::size_t first = has_drive ? 2 : 0;
  std::size_t end = first;
  while (end < rest.size() && (is_letter_or_digit_of_ascii(rest[end]) ||
                               std::string_view("_./\\~@+-*").find(rest[end]) != rest.npos))
    ++end;
  if (has_letter_after(rest, end)) return 0;
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

std::size_t bytes_of_identifier(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, kLongestName);
  const char before = at > 0 ? text[at - 1] : ' ';
  const bool has_sign = std::string_view("$@#/%-").find(rest[0]) != std::string_view::npos;
  if (is_inside_name(text, at) || (has_sign && before == rest[0])) return 0;
  const std::size_t first = rest.starts_with("--") ? 2 : has_sign ? 1 : 0;
  std::size_t end = first;
  bool is_name = false;
  for (std::size_t joint = 0;;) {
    const std::size_t from = end + joint;
    if (from >= rest.size() || (rest[from] >= '0' && rest[from] <= '9')) break;
    end = end_of_name(rest, from);
    if (end == from) return 0;
    const std::string_view word = rest.substr(from, end - from);
    is_name |= word.find('_', 1) != word.npos && is_snake_case(word);
    joint = bytes_of_joint(rest, end);
    if (joint == 0) break;
  }
  if (!is_name || has_letter_after(rest, end)) return 0;
  if (rest[end - 1] == '_' && (rest[first] == '_' || before == '_')) return 0;
  const std::string_view after = rest.substr(end);
  if (rest[0] == '%') return after.starts_with('%') ? end + 1 : 0;
  return after.starts_with('@') ? 0 : end + bytes_of_call(after, 0);
}

}  // namespace heed::text
