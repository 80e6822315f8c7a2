#include "config/schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/strings.h"
#include "config/suggest.h"

namespace heed::config {

EnumText::EnumText(std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  for (auto [name, help] : values) {
    if (name.ends_with('_')) name.remove_suffix(1);
    names.emplace_back(name);
    helps.emplace_back(help);
  }
}

std::string number_text(double value) {
  std::array<char, 64> text{};
  char* const end = text.data() + text.size();
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  // The shortest text that reads back to the same bits; whole numbers have no exponent.
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

}  // namespace heed::config
