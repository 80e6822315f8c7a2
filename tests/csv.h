// Tables that heed and its benchmarks wrote as CSV (RFC 4180), read again.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

/// The fields of every row; quotes are taken off. A last line without its line break counts.
inline std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        row.back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      rows.push_back(std::move(row));
      row = {""};
    } else if (c != '\r') {
      row.back() += c;
    }
  }
  if (row.size() > 1 || !row.front().empty()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
