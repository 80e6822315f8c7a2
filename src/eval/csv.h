// RFC 4180 fields.
#pragma once

#include <string>
#include <string_view>

namespace heed::eval {

/// The field as it stands in a CSV row: in quotes where it holds a comma, a quote or a line break,
/// quotes doubled.
std::string csv_field(std::string_view text);

}  // namespace heed::eval
