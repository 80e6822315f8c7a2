#include "document/markdown_inserts.h"

#include <algorithm>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markdown_fences.h"
#include "document/templates.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether a mark, such as `==`, may stand between these two characters of a line, of which a blank
/// stands in for none: at the beginning of what it marks, or at its end.
bool may_open(char before, char after) {
  return !is_one_of(after, " \t") && (is_one_of(before, " \t") || !is_one_of(before, kOfNames));
}
bool may_close(char before, char after) {
  return may_open(after, before);
}

/// Whether the lines of a text may be of one paragraph: none is blank, a fence or an item.
bool may_be_one_text(std::string_view text) {
  if (!is_one_paragraph(text)) return false;
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;) {
    ++at;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t begin = after_run(line, " \t>");
    if (marker_bytes(line) != begin || fence_of(line.substr(begin)).length > 0) return false;
  }
  return true;
}

}  // namespace

std::size_t bytes_of_formula(std::string_view line, std::size_t at) {
  const std::string_view near = line.substr(at, kLongestInsert);
  if (near.starts_with("$$")) {
    const std::size_t end = near.find("$$", 2);
    return end == near.npos ? 0 : end + 2;
  }
  if (near.size() < 3 || is_one_of(near[1], " \t") ||
      text::is_in_word(text::value_before(line, at)))
    return 0;
  for (std::size_t end = 1; (end = near.find('$', end)) != near.npos; ++end)
    if (!is_one_of(near[end - 1], " \t\\"))
      return end + 1 < near.size() && text::is_in_word(text::code_point_at(near, end + 1).value)
                 ? 0
                 : end + 1;
  return 0;
}

std::size_t bytes_of_emoji(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at + 1);
  const std::size_t end = after_run(rest, "abcdefghijklmnopqrstuvwxyz0123456789_+-");
  const bool is_free = at == 0 || is_one_of(line[at - 1], " \t:*_([");
  const bool has_letter = rest.substr(0, end).find_first_not_of("-+_:") != rest.npos;
  return is_free && end > 1 && has_letter && rest.substr(end).starts_with(':') ? end + 2 : 0;
}

std::size_t bytes_of_attributes(std::string_view line, std::size_t at) {
  const std::size_t end = line.find('}', at);
  if (end == line.npos) return 0;
  const std::string_view inside = trim(line.substr(at + 1, end - at - 1));
  const bool is_after_link = at > 0 && is_one_of(line[at - 1], ")]");
  const bool is_free = at == 0 || is_after_link || is_one_of(line[at - 1], " \t`*\"");
  if (inside.empty() || !is_free || is_one_of('{', inside)) return 0;
  const bool has_mark = is_one_of(inside[0], "#.:") && inside.size() > 1 && inside[1] != '}';
  return has_mark || (is_after_link && is_one_of('=', inside)) ? end + 1 - at : 0;
}

std::size_t bytes_of_marked(std::string_view line, std::size_t at, std::string_view mark) {
  const auto is_mark = [&](std::size_t place) {
    return line.substr(place).starts_with(mark) && (place == 0 || line[place - 1] != mark[0]) &&
           !line.substr(place + 2).starts_with(mark[0]);
  };
  const auto beside = [&](std::size_t place) { return place < line.size() ? line[place] : ' '; };
  const std::string_view near = line.substr(0, std::min(line.size(), at + kLongestInsert));
  if (!is_mark(at) || !may_open(at > 0 ? line[at - 1] : ' ', beside(at + 2))) return 0;
  for (std::size_t end = at + 2; (end = near.find(mark, end + 1)) != near.npos;)
    if (is_mark(end) && may_close(line[end - 1], beside(end + 2))) return end + 2 - at;
  return 0;
}

std::size_t bytes_of_keys(std::string_view line, std::size_t at) {
  const std::size_t bytes = bytes_of_marked(line, at, "++");
  bool in_quotes = false;
  for (const char c : line.substr(at, bytes)) {
    in_quotes = in_quotes != (c == '"');
    if (c == '`' || (!in_quotes && is_one_of(c, " \t"))) return 0;
  }
  return bytes;
}

std::size_t bytes_of_wiki_link(std::string_view line, std::size_t at) {
  if (at >= line.size() || !line.substr(at).starts_with("[[")) return 0;
  const std::size_t end = line.substr(0, at + kLongestInsert).find_first_of("]`", at + 2);
  if (end == line.npos || end == at + 2 || !line.substr(end).starts_with("]]")) return 0;
  const std::string_view name = line.substr(at + 2, end - at - 2);
  if (is_one_of('[', name) || is_one_of(name.front(), " \t") || is_one_of(name.back(), " \t"))
    return 0;
  return end + 2 < line.size() && is_one_of(line[end + 2], "([:]") ? 0 : end + 2 - at;
}

std::size_t bytes_of_code(std::string_view text, std::size_t at) {
  const std::size_t begin = after_run(text, "`", at);
  for (std::size_t end = begin; begin > at && (end = text.find('`', end)) != text.npos;) {
    const std::size_t after = after_run(text, "`", end);
    if (after - end == begin - at) return after - at;
    end = after;
  }
  return 0;
}

std::size_t bytes_of_role(std::string_view text, std::size_t at) {
  constexpr std::string_view kOfRoles =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+:";
  const std::string_view near = text.substr(at, kLongestInsert);
  const bool has_braces = near.starts_with('{');
  const char before = at > 0 ? text[at - 1] : ' ';
  if (before == '`' || (!has_braces && (before == ':' || is_one_of(before, kOfNames)))) return 0;
  std::size_t end = after_run(near, kOfRoles, 1);
  if (end == 1 || end >= near.size()) return 0;
  if (has_braces ? near[end++] != '}' : near[end - 1] != ':' || end == 2) return 0;
  const std::size_t code = bytes_of_code(near, end);
  return code > 0 && may_be_one_text(near.substr(0, end + code)) ? end + code : 0;
}

std::size_t bytes_of_note(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestInsert);
  if (!near.starts_with("^[")) return 0;
  std::size_t depth = 0;
  for (std::size_t end = 1; end < near.size(); ++end) {
    if (near[end] == '\\')
      ++end;
    else if (near[end] == '[')
      ++depth;
    else if (near[end] == ']' && --depth == 0)
      return end > 2 && may_be_one_text(near.substr(0, end)) ? end + 1 : 0;
  }
  return 0;
}

std::size_t bytes_of_citation(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at, kLongestInsert);
  if (!rest.starts_with("[@") && !rest.starts_with("[-@")) return 0;
  const std::size_t end = rest.find_first_of("]`", 2);
  if (end == rest.npos || rest[end] == '`' || is_one_of('[', rest.substr(1, end))) return 0;
  return end + 1 < rest.size() && is_one_of(rest[end + 1], "([:") ? 0 : end + 1;
}

}  // namespace heed::document
