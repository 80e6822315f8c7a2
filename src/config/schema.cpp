#include "config/schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/format.h"
#include "base/strings.h"
#include "config/suggest.h"

namespace heed::config {

std::vector<std::string> split_names(std::string_view comma_separated) {
  std::vector<std::string> names;
  for (const std::string& part : split(comma_separated, ',')) {
    std::string_view name = trim(part);
    if (name.ends_with('_')) name.remove_suffix(1);
    names.emplace_back(name);
  }
  return names;
}

std::string number_text(double value) {
  std::array<char, 64> text{};
  char* const end = text.data() + text.size();
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  // Shortest text that reads back to the same bits; whole numbers without an exponent.
  const auto written = whole ? std::to_chars(text.data(), end, static_cast<int64_t>(value))
                             : std::to_chars(text.data(), end, value);
  return {text.data(), written.ptr};
}

std::string OneOf::operator()(const std::string& value) const {
  const std::vector<std::string>& allowed = names();
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return "";
  return fmt::format("unknown value '{}'{}", one_line(value), did_you_mean(value, allowed));
}

std::string OneOf::text() const {
  return "one of " + join(names(), ", ");
}

std::string EachOneOf::operator()(const std::vector<std::string>& values) const {
  for (const std::string& value : values)
    if (auto wrong = OneOf{names}(value); !wrong.empty()) return wrong;
  return "";
}

std::string EachOneOf::text() const {
  return "each " + OneOf{names}.text();
}

}  // namespace heed::config
