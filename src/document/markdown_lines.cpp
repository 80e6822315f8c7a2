#include "document/markdown_lines.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "document/markdown_inserts.h"

namespace heed::document {

std::size_t bytes_of_alert(std::string_view text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with("[!") || end == text.npos || text.find_first_of(" \t`[", 1) < end) return 0;
  const std::size_t after = end + 1;
  if (after < text.size() && is_one_of(text[after], "([")) return 0;  // a link
  return after + (after < text.size() && is_one_of(text[after], "+-"));
}

std::size_t bytes_of_container(std::string_view text) {
  const bool has_colons = text.starts_with(":::");
  if (!has_colons && !text.starts_with("!!! ") && !text.starts_with("??? ") &&
      !text.starts_with("???+ "))
    return 0;
  const std::size_t mark = has_colons ? after_run(text, ":") : after_run(text, "!?+");
  const std::size_t name = after_run(text, " ", mark);
  if (has_colons && name == text.size()) return name;  // its end
  std::size_t end = after_run(text, kOfNames, name);
  if (has_colons && text[name] == '{') end = text.find('}', name) + 1;  // 0: there is none
  const std::string_view title = trim(text.substr(end));
  return end > name && (has_colons || title.empty() || title[0] == '"') ? end : 0;
}

std::size_t bytes_of_tab(std::string_view text) {
  if (!text.starts_with("===") || text.size() < 7) return 0;
  const std::size_t bytes = (is_one_of(text[3], "!+") ? 4 : 3) + 1;
  const std::string_view title = text.substr(bytes);
  return text[bytes - 1] == ' ' && title.size() > 2 && title[0] == '"' && title.ends_with('"')
             ? bytes
             : 0;
}

bool is_inclusion(std::string_view text) {
  const std::size_t scissors = after_run(text, "-");
  if (scissors > 0 && text.substr(scissors).starts_with("8<-")) return true;
  if (!text.starts_with("<<<")) return false;
  const std::string_view name = trim(text.substr(3));
  return !name.empty() && is_one_of(name[0], "@./");
}

bool is_mark_of_inclusions(std::string_view text) {
  const std::size_t scissors = after_run(text, "-");
  return scissors > 0 && text.substr(scissors).starts_with("8<-") &&
         after_run(text, "-", scissors + 2) == text.size();
}

bool is_contents(std::string_view text) {
  const std::string name = ascii_lower(text);
  return name == "[toc]" || name == "[[toc]]" || name == "[[_toc_]]" || name == "[_toc_]";
}

std::size_t bytes_of_label(std::string_view text, std::string_view mark) {
  if (!text.starts_with(mark)) return 0;
  const std::size_t end = text.find(']');
  return end != text.npos && end > mark.size() && text.substr(end).starts_with("]:") ? end + 2 : 0;
}

std::size_t bytes_of_slashes(std::string_view text) {
  constexpr std::size_t kLeast = 3;
  const std::size_t mark = after_run(text, "/");
  if (mark < kLeast || mark == text.size()) return mark < kLeast ? 0 : mark;
  const std::size_t name = after_run(text, " ", mark), end = after_run(text, kOfNames, name);
  if (name == mark || end == name) return 0;
  const std::size_t bar = after_run(text, " ", end);
  if (bar == text.size()) return bar;
  if (text[bar] != '|') return 0;
  const std::string_view kind = text.substr(name, end - name);
  const bool is_title = kind != "html" && !kind.ends_with("caption");
  return is_title ? bar + 1 : text.size();
}

bool is_target(std::string_view text) {
  return text.starts_with('(') && text.ends_with(")=") && text.size() > 3 &&
         text.find_first_of(" \t`()", 1) == text.size() - 2;
}

bool is_leaf_directive(std::string_view text) {
  if (!text.starts_with("::") || !text.ends_with('}')) return false;
  const std::size_t name = after_run(text, kOfPlainNames, 2);
  return name > 2 && name < text.size() && text[name] == '{' && text.find('}') + 1 == text.size();
}

std::vector<std::string_view> cells_of(std::string_view row) {
  row = trim(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  std::vector<std::string_view> cells;
  std::size_t from = 0;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] == '\\') {
      ++at;
    } else if (row[at] == '|') {
      cells.push_back(row.substr(from, at - from));
      from = at + 1;
    }
  }
  if (from < row.size()) cells.push_back(row.substr(from));
  return cells;
}

bool is_rule_of_table(std::string_view line) {
  if (!is_one_of('|', line) || !is_one_of('-', line) || after_run(line, "|-: \t") < line.size())
    return false;
  return std::ranges::all_of(cells_of(line), [](std::string_view cell) {
    cell = trim(cell);
    if (cell.starts_with(':')) cell.remove_prefix(1);
    if (cell.ends_with(':')) cell.remove_suffix(1);
    return !cell.empty() && after_run(cell, "-") == cell.size();
  });
}

std::size_t bytes_of_field(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const std::size_t end = text.substr(0, kLongest).find(":: ");
  if (end == text.npos || end == 0 || !is_one_of(text[0], kFirstOfNames)) return 0;
  return after_run(text, std::string(kOfPlainNames) + " ") == end ? end + 3 : 0;
}

bool is_reference_to_module(std::string_view text) {
  if (!text.starts_with("::: ")) return false;
  const std::string_view name = trim(text.substr(3));
  return is_one_of('.', name) && is_one_of(name[0], kFirstOfNames) && !name.ends_with('.') &&
         after_run(name, std::string(kOfWords) + "_.") == name.size();
}

bool is_option(std::string_view text) {
  const std::size_t end = after_run(text, kOfNames, 1);
  return text.starts_with(':') && end > 1 && end < text.size() && text[end] == ':' &&
         (end + 1 == text.size() || text[end + 1] == ' ');
}

}  // namespace heed::document
