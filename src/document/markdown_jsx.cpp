#include "document/markdown_jsx.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markdown_inserts.h"
#include "document/templates.h"

namespace heed::document {
namespace {

constexpr std::size_t kLongestJsx = 2000;  // bytes in which its end is looked for
constexpr std::string_view kTagBlanks = " \t\r\n", kQuotesOfJsx = "\"'`";

/// The byte after the string of JavaScript or HTML that begins at `at`; npos: it does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const bool has_escapes = text[at] == '`';
  for (std::size_t end = at + 1; end < text.size(); ++end) {
    if (has_escapes && text[end] == '\\')
      ++end;
    else if (text[end] == text[at])
      return end + 1;
  }
  return text.npos;
}

/// The byte after the braces that begin at `at`; npos: they do not end.
std::size_t end_of_braces(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    if (is_one_of(text[at], kQuotesOfJsx)) {
      at = end_of_string(text, at);
      continue;
    }
    if (text[at] == '{') ++depth;
    if (text[at++] == '}' && --depth == 0) return at;
  }
  return text.npos;
}

}  // namespace

JsxTag jsx_tag_at(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(0, std::min(text.size(), at + kLongestJsx));
  if (at + 2 >= near.size() || near[at] != '<' || !is_one_of(near[at + 1], kFirstOfNames))
    return {};
  static const std::string kOfTags = std::string(kOfPlainNames) + ".:@";
  JsxTag tag;
  bool has_value = false;  // in quotes
  std::size_t end = after_run(near, kOfTags, at + 1);
  for (;;) {
    const std::size_t begin = after_run(near, kTagBlanks, end);
    if (near.substr(begin).starts_with("/>")) end = begin + 2;
    if (near.substr(begin).starts_with('>')) end = begin + 1;
    if (end > begin) {
      const std::size_t before = near.find_last_not_of(" \t", begin - 1);
      const bool begins_line = near[begin] == '>' && is_one_of(near[before], "\r\n");
      const bool is_tag = !tag.values.empty() ||
                          (has_value && begins_line && is_one_paragraph(near.substr(at, end - at)));
      tag.bytes = is_tag ? end - at : 0;
      return tag;
    }
    if (begin == end || begin == near.size()) return {};
    end = begin;
    if (near[begin] != '{') {
      end = after_run(near, kOfTags, begin);
      if (end == begin) return {};
      if (!near.substr(end).starts_with('=')) continue;
      if (++end == near.size()) return {};
    }
    const std::size_t value = end;
    if (near[value] == '{') {
      end = end_of_braces(near, value);
      tag.values.push_back({value, end});
    } else if (is_one_of(near[value], "\"'")) {
      end = end_of_string(near, value);
      has_value = true;
    } else {
      end = std::min(near.find_first_of(" \t\r\n\"'=<>`{}", value), near.size());
    }
    if (end > near.size() || end == value) return {};
  }
}

std::size_t bytes_of_jsx_comment(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestInsert);
  if (!near.starts_with("{/*")) return 0;
  const std::size_t end = near.find("*/}", 3);
  return end != near.npos && is_one_paragraph(near.substr(0, end)) ? end + 3 : 0;
}

std::size_t bytes_of_jsx_value(std::string_view line, std::size_t at) {
  const std::string_view near = line.substr(at, kLongestInsert);
  const std::size_t end = near.find('}');
  if (end == near.npos || !near.starts_with('{')) return 0;
  const std::string_view inside = near.substr(1, end - 1);
  const std::size_t point = inside.find('.');
  return point != inside.npos && point > 0 && point + 1 < inside.size() &&
                 is_one_of(inside[0], kFirstOfNames) &&
                 inside.find_first_not_of(std::string(kOfWords) + "_.") == inside.npos
             ? end + 1
             : 0;
}

}  // namespace heed::document
