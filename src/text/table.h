// A table of measurements: aligned for a terminal, and as CSV.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heed::text {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`
};

/// Columns of equal width: those of `left`, counted from 0, to the left, numbers to the right.
std::string table_text(const Table& table, const std::set<std::size_t>& left = {0});

std::string table_csv(const Table& table);

}  // namespace heed::text
