#include "text/table.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/strings.h"
#include "text/utf8.h"

namespace heed::text {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  return quoted_csv_field(text);
}

std::string quoted_csv_field(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

namespace {

using Row = std::vector<std::string>;

std::size_t width_of(const std::string& text) {
  return decode_utf8(text).size();
}

}  // namespace

std::string table_text(const Table& table, const std::set<std::size_t>& left) {
  std::vector<Row> rows = {table.columns};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const Row& row : rows) {
    expect(row.size() == widths.size(), "a row of a table has a field for every column");
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      line += (c ? "  " : "") + (left.contains(c) ? row[c] + padding : padding + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string table_csv(const Table& table) {
  const auto line = [](const Row& row) {
    Row fields;
    for (const std::string& field : row) fields.push_back(csv_field(field));
    return join(fields, ",") + '\n';
  };
  std::string out = line(table.columns);
  for (const Row& row : table.rows) out += line(row);
  return out;
}

}  // namespace heed::text
