#include <charconv>
#include <cstdio>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "data/batches.h"

namespace heed::data {
namespace {

[[noreturn]] void fail(std::string_view json) {
  throw UserError(fmt::format("a damaged place in the training data: '{}'", one_line(json)));
}

/// The number behind `"name":`, in quotes or not.
template <class T>
T number(std::string_view json, const std::string& name, int base = 10) {
  const std::string key = '"' + name + '"';
  const std::size_t found = json.find(key);
  if (found == std::string_view::npos) fail(json);
  const std::size_t begin = json.find_first_not_of(" :\"", found + key.size());
  if (begin == std::string_view::npos) fail(json);
  T value{};
  const char* end = json.data() + json.size();
  if (std::from_chars(json.data() + begin, end, value, base).ec != std::errc()) fail(json);
  return value;
}

}  // namespace

std::string Position::to_json() const {
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(order));
  return fmt::format("{{\"epoch\":{},\"pool\":{},\"batch\":{},\"order\":\"{}\"}}", epoch, pool,
                     batch, hex);
}

Position Position::from_json(std::string_view json) {
  return {number<int64_t>(json, "epoch"), number<int64_t>(json, "pool"),
          number<int64_t>(json, "batch"), number<uint64_t>(json, "order", 16)};
}

}  // namespace heed::data
