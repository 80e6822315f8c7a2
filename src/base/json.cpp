#include "base/json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/strings.h"

namespace heed {
namespace {

/// Whether lists and objects are nested too deep. It counts brackets, which is right as far as the
/// text is JSON; a parser reads no further.
bool is_too_deep(std::string_view text) {
  int64_t depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      quoted = !quoted;
    else if (quoted)
      i += c == '\\';
    else if (c == '[' || c == '{')
      deepest = std::max(deepest, ++depth);
    else if (c == ']' || c == '}')
      --depth;
  }
  return deepest > kDeepestJson;
}

}  // namespace

template <class Json>
Json json_of(std::string_view text) {
  if (is_too_deep(text))
    throw UserError("JSON nested deeper than {} lists and objects", kDeepestJson);
  try {
    return Json::parse(text);
  } catch (const typename Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 9: ...; last read: ..."
    const std::string_view what = error.what();
    const std::size_t start = what.find("] ");
    throw UserError("no JSON: {}",
                    one_line(start == what.npos ? what : what.substr(start + 2), 200));
  }
}

template <class Json>
Json json_or_discarded(std::string_view text) {
  if (is_too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

template nlohmann::json json_of(std::string_view text);
template nlohmann::ordered_json json_of(std::string_view text);
template nlohmann::json json_or_discarded(std::string_view text);
template nlohmann::ordered_json json_or_discarded(std::string_view text);

}  // namespace heed
