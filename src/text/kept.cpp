#include "text/kept.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

struct Pattern {
  bool KeepOptions::*kind;
  std::regex regex;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {&KeepOptions::placeholders,
       std::regex("\\{\\{[^{}]*\\}\\}|[$%#]?\\{[^{}\\s]*\\}|<\\w[^<>]*/>|"
                  "%(?:\\(\\w+\\))?(?:\\d+\\$)?[-+0#']{0,5}\\d{0,9}(?:\\.\\d+)?(?:hh?|ll?|[zjtL])?"
                  "[sdiufFeEgGxXoc@](?!\\w)|%\\d+(?!\\w)")},
      {&KeepOptions::urls,
       std::regex("(?:(?:https?|ftp|HTTPS?|FTP)://|mailto:|MAILTO:|www\\.|WWW\\.)"
                  "(?:[^\\s<>\"()]|\\([^\\s<>\"()]*\\))*"
                  "(?:[^\\s<>\"().,;:!?'\\]}]|\\([^\\s<>\"()]*\\))")},
      {&KeepOptions::emails, std::regex("[\\w.+%-]+@[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]{2,}")},
      {&KeepOptions::numbers, std::regex("\\d+(?:[.,:/]\\d+)*")}};
  return all;
}

constexpr std::size_t kLongest = 1000;  // bytes that are searched: std::regex recurses over them

/// The bytes of an address of which the first `bytes` were found in a text. It is read to its end
/// where it is longer than the bytes that were looked at, and ends before punctuation beyond ASCII.
std::size_t bytes_of_address(std::string_view text, std::size_t bytes) {
  if (bytes + 8 > kLongest) {
    const std::size_t end = std::min(text.find_first_of(" \t\n\r\f\v<>\"()", bytes), text.size());
    bytes = without_marks(text.substr(0, end));
  }
  const std::size_t end = before_wide_marks(text.substr(0, bytes));
  return end < bytes ? without_marks(text.substr(0, end)) : bytes;
}

}  // namespace

std::size_t before_wide_marks(std::string_view address) {
  for (std::size_t at = 0; at < address.size();) {
    const CodePoint point = code_point_at(address, at);
    if (point.value >= 0x80 && (is_punctuation(point.value) || is_space(point.value))) return at;
    at += point.bytes;
  }
  return address.size();
}

std::size_t without_marks(std::string_view address) {
  return address.find_last_not_of(".,;:!?'") + 1;
}

KeepOptions kept_of(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) { return std::ranges::count(names, name) > 0; };
  return {has("urls"), has("emails"), has("numbers"), has("placeholders")};
}

KeptItem kept_item_at(std::string_view text, std::size_t at, const KeepOptions& kept) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0; };
  const bool may_begin = is_of_name(text[at]) ||
                         std::string_view("{$%#<.+_-").find(text[at]) != std::string_view::npos;
  if (!may_begin) return {};
  const bool is_after_word = is_in_word(value_before(text, at));
  if (is_after_word && (is_of_name(text[at]) || text[at] == '%')) return {};  // "5%"
  // Inside a word no address of e-mail is looked for: it was looked for at the word's beginning,
  // and a search at each character would take long.
  const char before = at > 0 ? text[at - 1] : ' ';
  const bool is_in_address =
      is_of_name(before) || std::string_view("._+%-").find(before) != std::string_view::npos;
  const std::string_view rest = text.substr(at, kLongest);
  for (const Pattern& pattern : patterns()) {
    if (is_in_address && pattern.kind == &KeepOptions::emails) continue;
    std::match_results<std::string_view::const_iterator> found;
    if (!(kept.*pattern.kind) || !std::regex_search(rest.begin(), rest.end(), found, pattern.regex,
                                                    std::regex_constants::match_continuous))
      continue;
    const auto bytes = static_cast<std::size_t>(found.length());
    return {pattern.kind == &KeepOptions::urls ? bytes_of_address(text.substr(at), bytes) : bytes,
            pattern.kind == &KeepOptions::numbers && !kept.taken.contains(found.str())};
  }
  return {};
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
