#include "text/kept.h"

#include <algorithm>

#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::size_t kLongestPlaceholder = 100;  // bytes

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_letter(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_in_email(char c) {
  return is_name_letter(c) || std::string_view("._%+-").find(c) != std::string_view::npos;
}

/// How many of the first characters `is`.
template <class Is>
std::size_t count_first(std::string_view text, const Is& is) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

std::size_t url_in(std::string_view rest) {
  std::size_t begin = 0;
  for (const std::string_view scheme : {"http://", "https://", "ftp://", "mailto:", "www."})
    if (rest.starts_with(scheme)) begin = scheme.size();
  if (begin == 0) return 0;
  std::size_t end = begin;
  while (end < rest.size() && std::string_view("<>\"").find(rest[end]) == std::string_view::npos) {
    const CodePoint point = code_point_at(rest, end);
    if (is_space(point.value) || has_no_blanks(script_of(point.value))) break;
    if (point.value >= 0x80 && is_punctuation(point.value)) break;
    end += point.bytes;
  }
  const bool has_bracket = rest.substr(0, end).find('(') != std::string_view::npos;
  const std::string_view of_sentence = has_bracket ? ".,;:!?']}" : ".,;:!?')]}";
  while (end > begin && of_sentence.find(rest[end - 1]) != std::string_view::npos) --end;
  return end == begin ? 0 : end;
}

std::size_t email_in(std::string_view rest) {
  const std::size_t name = count_first(rest, is_in_email);
  if (name == 0 || name >= rest.size() || rest[name] != '@') return 0;
  std::size_t end = name + 1 + count_first(rest.substr(name + 1), [](char c) {
                      return is_name_letter(c) || c == '.' || c == '-';
                    });
  while (!is_name_letter(rest[end - 1]) && end > name + 1) --end;
  const std::size_t dot = rest.substr(0, end).rfind('.');
  return dot != std::string_view::npos && dot > name + 1 && end - dot > 2 ? end : 0;
}

std::size_t number_in(std::string_view rest) {
  std::size_t end = count_first(rest, is_digit);
  while (end > 0 && end + 1 < rest.size() && is_digit(rest[end + 1]) &&
         std::string_view(".,:/").find(rest[end]) != std::string_view::npos)
    end += 1 + count_first(rest.substr(end + 1), is_digit);
  return end;
}

std::size_t braces_in(std::string_view rest) {
  rest = rest.substr(0, kLongestPlaceholder);
  const std::size_t begin = rest.find_first_not_of("$%#{");
  if (rest.starts_with("{{") || begin == std::string_view::npos) {
    const std::size_t end = rest.find("}}");
    return end == std::string_view::npos ? 0 : end + 2;
  }
  const std::size_t end = rest.find_first_of("{} \t", begin);
  return end == std::string_view::npos || rest[end] != '}' ? 0 : end + 1;
}

/// %s, %-5.2f, %1$lld, %(name)s, %1
std::size_t percent_in(std::string_view rest) {
  std::size_t at = 1;
  if (rest.size() > 1 && rest[1] == '(') {
    at = rest.substr(0, kLongestPlaceholder).find_first_of(") ");
    if (at == std::string_view::npos || rest[at] == ' ') return 0;
    ++at;
  }
  const std::size_t flags = std::min(rest.find_first_not_of("0123456789.$+-#'", at), rest.size());
  std::size_t type = std::min(rest.find_first_not_of("hljztL", flags), rest.size());
  if (type < rest.size() && std::string_view("sdiufFeEgGxXoc@").find(rest[type]) != rest.npos &&
      (type + 1 == rest.size() || !is_name_letter(rest[type + 1])))
    return type + 1;
  const std::size_t digits = count_first(rest.substr(1), is_digit);
  return digits > 0 && (digits + 1 == rest.size() || !is_name_letter(rest[digits + 1])) ? digits + 1
                                                                                        : 0;
}

std::size_t placeholder_in(std::string_view rest, char before) {
  if (rest[0] == '{' ||
      ((rest[0] == '$' || rest[0] == '%' || rest[0] == '#') && rest.substr(1).starts_with('{')))
    return braces_in(rest);
  if (rest[0] == '%') return is_digit(before) ? 0 : percent_in(rest);
  if (rest[0] != '<' || rest.size() < 2 || !is_name_letter(rest[1])) return 0;
  const std::size_t end = rest.find_first_of("<>", 1);
  return end != std::string_view::npos && rest[end] == '>' && rest[end - 1] == '/' ? end + 1 : 0;
}

}  // namespace

Kept kept_of(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) { return std::ranges::count(names, name) > 0; };
  return {has("urls"), has("emails"), has("numbers"), has("placeholders")};
}

KeptItem kept_item_at(std::string_view text, std::size_t at, const Kept& kept) {
  const std::string_view rest = text.substr(at);
  const char before = at > 0 ? text[at - 1] : ' ';
  if (kept.placeholders)
    if (const std::size_t bytes = placeholder_in(rest, before)) return {bytes};
  // The others begin a word.
  if (is_name_letter(before) || static_cast<unsigned char>(before) >= 0x80) return {};
  if (kept.urls)
    if (const std::size_t bytes = url_in(rest)) return {bytes};
  if (kept.emails && !is_in_email(before))
    if (const std::size_t bytes = email_in(rest)) return {bytes};
  const std::size_t bytes = kept.numbers ? number_in(rest) : 0;
  return {bytes, !kept.taken.contains(std::string(rest.substr(0, bytes)))};
}

std::map<std::string, int64_t, std::less<>> kept_items_in(std::string_view text, const Kept& kept) {
  std::map<std::string, int64_t, std::less<>> items;
  for (std::size_t at = 0; kept.any() && at < text.size();) {
    const std::size_t bytes = kept_item_at(text, at, kept).bytes;
    if (bytes > 0) ++items[std::string(text.substr(at, bytes))];
    at += std::max<std::size_t>(bytes, 1);
  }
  return items;
}

}  // namespace heed::text
