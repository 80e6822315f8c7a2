// Tables of measurements: aligned for a terminal, and as CSV (RFC 4180).
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// The field as it stands in a CSV row: in quotes where it holds a comma, a quote or a line break,
/// quotes doubled.
std::string csv_field(std::string_view text);
/// The field in quotes, whatever it holds: readers that tell texts from numbers by quotes take it
/// for a text.
std::string quoted_csv_field(std::string_view text);

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`
};

/// The table for a terminal, each column as wide as its widest cell. The columns in `left`, counted
/// from 0, are aligned to the left, all others, for numbers, to the right.
std::string table_text(const Table& table, const std::set<std::size_t>& left = {0});

std::string table_csv(const Table& table);

}  // namespace heed::text
