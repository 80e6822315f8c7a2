// Tables of kinds, one row for each line of a registry.def.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// One member of each row, in the table's order: `column(kinds, &Kind::name)`.
template <class Row>
std::vector<std::string> column(const std::vector<Row>& rows, const char* Row::*member) {
  std::vector<std::string> values;
  for (const Row& row : rows) values.emplace_back(row.*member);
  return values;
}

}  // namespace heed
