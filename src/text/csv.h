// RFC 4180.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// The field as it stands in a CSV row: in quotes where it holds a comma, a quote or a line break,
/// quotes doubled.
std::string csv_field(std::string_view text);

/// The fields of every row; quotes are taken off. A last line without its line break counts.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

}  // namespace heed::text
